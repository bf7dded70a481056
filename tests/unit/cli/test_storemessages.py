import pytest

from forebay.cli.storemessages import SHOWN, delivery_row, plain_delivery, shown, time_of
from forebay.client import make_message
from forebay.pb.store.v1 import store_pb2 as pb

TAKEN = 1_767_323_045_678


def delivery(body=b"boat hook", **more):
    message = make_message("orders.eu", body, headers={"kind": "order"}, priority=3)
    message.MergeFrom(pb.Message(taken_ms=TAKEN, **more))
    return pb.Delivery(number=1, deliveries=2, position=77, message=message)


def test_a_message_is_plain():
    found = plain_delivery(delivery(publisher="loader", number=9, ttl_ms=1500))
    assert found == {
        "position": 77,
        "deliveries": 2,
        "address": "orders.eu",
        "body": "boat hook",
        "headers": {"kind": "order"},
        "ttl": 1.5,
        "priority": 3,
        "transient": False,
        "taken": "2026-01-02T03:04:05.678Z",
        "deaths": [],
        "publisher": "loader",
        "number": 9,
    }


def test_a_body_that_is_no_text_is_in_base64_under_another_name():
    found = plain_delivery(delivery(b"\xff\x00"))
    assert found["body_base64"] == "/wA="
    assert "body" not in found


def test_deaths_tell_queue_reason_and_times():
    death = pb.Death(queue="jobs", reason=pb.DEATH_REASON_DELIVERY_LIMIT, count=2, first_ms=TAKEN, address="jobs")
    (found,) = plain_delivery(delivery(deaths=[death]))["deaths"]
    assert (found["queue"], found["reason"], found["count"]) == ("jobs", "delivery_limit", 2)
    assert (found["first"], found["last"], found["original_ttl"]) == ("2026-01-02T03:04:05.678Z", "", None)


def test_a_row_shows_the_size_and_the_beginning():
    row = delivery_row(delivery(b"x" * 1000))
    assert row[:6] == (77, "orders.eu", "2026-01-02T03:04:05.678Z", 3, 2, 1000)
    assert row[6] == "x" * (SHOWN - 1) + "…"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"", ""),
        (b"two\nlines\t", r"two\nlines\t"),
        (b"\xff\x00", r"\xff\x00"),
        ("Grüße ☂".encode(), "Grüße ☂"),
        (b"y" * SHOWN, "y" * SHOWN),
        (b"\x1b[31m", r"\x1b[31m"),
    ],
)
def test_a_body_is_shown_on_one_line_that_does_nothing_to_a_terminal(body, text):
    assert shown(body) == text


def test_no_time_is_nothing():
    assert time_of(0) == ""
