"""Clients, and what each has declared."""

import pytest

from forebay.conduit.clients import attachments as module
from forebay.conduit.clients.attachments import Attachments, Quota
from forebay.conduit.core.declarations.events import DeclarationChange, DeclarationEvent, DeclarationKind
from forebay.runtime.errors import NotFoundError, ResourceExhaustedError


class Thing:
    def __init__(self, forgotten, name, quota=Quota.RESOURCES):
        self.quota = quota
        self.forgotten = forgotten
        self.name = name

    def forget(self):
        self.forgotten.append(self.name)


def test_what_a_client_has_goes_with_it_the_last_first():
    attachments, forgotten = Attachments(), []
    one, two = attachments.attach("one", ()), attachments.attach("two", ())
    for client, name in ((one, "a"), (two, "b"), (one, "c")):
        attachments.declare(client, Quota.RESOURCES, 10, lambda name=name: Thing(forgotten, name))
    attachments.detach(one)
    assert forgotten == ["c", "a"]
    assert attachments.counted(Quota.RESOURCES) == 1
    assert list(attachments) == [two]


def test_numbers_are_of_one_client_and_one_kind():
    attachments, forgotten = Attachments(), []
    one, two = attachments.attach("one", ()), attachments.attach("two", ())
    number = attachments.declare(one, Quota.RESOURCES, 10, lambda: Thing(forgotten, "a"))
    assert attachments.get(one, number, Thing).name == "a"
    for client, kind in ((two, Thing), (one, int)):
        with pytest.raises(NotFoundError, match=f"the client has no {kind.__name__.lower()} {number}"):
            attachments.get(client, number, kind)
    with pytest.raises(NotFoundError):
        attachments.undeclare(two, number)
    attachments.undeclare(one, number)
    assert forgotten == ["a"]


def test_what_cannot_be_made_is_not_counted():
    attachments = Attachments()
    client = attachments.attach("one", ())

    def fail():
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 any would do
        attachments.declare(client, Quota.PUBLISHERS, 1, fail)
    attachments.declare(client, Quota.PUBLISHERS, 1, lambda: Thing([], "a", Quota.PUBLISHERS))
    with pytest.raises(ResourceExhaustedError, match=r"limits\.publishers is 1: undeclare some") as raised:
        attachments.declare(client, Quota.PUBLISHERS, 1, fail)
    assert raised.value.facts == {"limit": "1"}


def test_a_client_shows_the_certificate_that_it_attached_with():
    attachments = Attachments()
    client = attachments.attach("one", ("press.example",))
    assert attachments.find(client.token, ("press.example",)) is client
    for token, names in ((client.token, ("other.example",)), (b"", ("press.example",))):
        with pytest.raises(NotFoundError, match="call Attach"):
            attachments.find(token, names)


def test_clients_and_their_events_are_bounded(monkeypatch):
    monkeypatch.setattr(module, "MOST_CLIENTS", 1)
    monkeypatch.setattr(module, "MOST_EVENTS", 2)
    attachments = Attachments()
    client = attachments.attach("one", ())
    with pytest.raises(ResourceExhaustedError, match="1 clients are attached"):
        attachments.attach("two", ())
    for rid in range(5):
        client.note(DeclarationEvent(DeclarationChange.REFUSED, DeclarationKind.RESOURCE, b"", rid))
    events, missed = client.take()
    assert ([event.rid for event in events], missed) == ([3, 4], 3)
    assert client.take() == ([], 0)
