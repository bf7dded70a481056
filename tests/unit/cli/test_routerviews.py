"""What `forebay router` shows, and what it sends."""

import pytest

from forebay.cli.errors import InputError
from forebay.cli.options import Output
from forebay.cli.routersending import Letter
from forebay.cli.routerviews import alarm_row, link_row, print_traced, router_rows
from forebay.pb.router.v1 import router_pb2 as pb


def letter(**values):
    defaults = {
        "recipient": "b", "name": "m", "body": "", "fields": [], "group": False, "urgent": False, "ttl": 4,
        "reply": None, "sender": "",
    }  # fmt: skip
    return Letter(**defaults | values)


def test_fields_are_texts_by_name():
    assert letter(fields=["a=1", "b=x=y"]).pairs() == {"a": "1", "b": "x=y"}
    with pytest.raises(InputError, match="--field a: give NAME=VALUE"):
        letter(fields=["a"]).pairs()


def test_a_body_is_utf_8():
    assert letter(body="é").octets() == "é".encode()


@pytest.mark.parametrize(
    ("link", "state"),
    [
        pytest.param(pb.LinkStatus(up=True), "up", id="up"),
        pytest.param(pb.LinkStatus(suspended=True), "suspended", id="suspended"),
        pytest.param(pb.LinkStatus(problem="no route"), "down: no route", id="down"),
    ],
)
def test_states_of_a_link(link, state):
    assert link_row(link)[3] == state


def test_figures_of_a_router_name_each_notice():
    router = pb.GetRouterResponse(threads=3, dropped={"skal-drop-ttl": 2})
    assert ("dropped: skal-drop-ttl", 2) in router_rows(router)


def test_an_alarm_as_a_row():
    alarm = pb.Alarm(name="skal-x", severity=pb.SEVERITY_ERROR, origin="o", comment="c")
    assert alarm_row(alarm) == ("1970-01-01T00:00:00Z", "error", "skal-x", "o", "c")


def test_a_message_that_passes_is_one_line(capsys):
    traced = pb.TracedMessage(
        sender="a@x", recipient="b@x", flags=pb.FLAG_URGENT, way="two", incarnation=10, sequence=3
    )
    traced.message.name, traced.message.body = "m", b"x" * 70
    print_traced(traced, Output.TABLE)
    assert capsys.readouterr().out == f"a@x -> b@x by two: m '{'x' * 60}…' [urgent]\n"
    print_traced(traced, Output.JSON)
    assert '"marker": "a@x#a.3"' in capsys.readouterr().out
