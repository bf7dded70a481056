"""What peers declare, and what they are told: datagrams are left out."""

from threading import Thread

import pytest

from forebay.conduit.core.conduits.publisher import PublisherSettings
from forebay.conduit.core.declarations.events import DeclarationChange, DeclarationKind, Meaning
from forebay.conduit.core.declarations.quality import NOTHING, Told
from forebay.conduit.core.session.peer import PeerState
from forebay.conduit.core.wire.declarations import (
    BindingDeclaration,
    Commit,
    ForgetPublisher,
    ForgetResource,
    ForgetSelection,
    ForgetSubscriber,
    PublisherDeclaration,
    ResourceDeclaration,
    Result,
    ResultStatus,
    SelectionDeclaration,
    SubscriberDeclaration,
    TokenDeclaration,
)
from forebay.conduit.core.wire.extras import NO_EXTRAS, unicast_property
from forebay.conduit.core.wire.messages import CloseReason, Data, Declare, WriteData
from forebay.conduit.core.wire.properties import PropertyId, number_property

UNRELIABLE = (number_property(PropertyId.RELIABILITY, 0),)
WRONG = (number_property(PropertyId.RELIABILITY, 7),)


def asked(site, index, *declarations):
    """What a peer is answered to a transaction."""
    site.take()
    site.hear(index, *declarations, Commit(9), committed=False)
    ((to, result),) = site.take()
    assert (to, result.commit_id) == (index, 9)
    return ResultStatus(result.status), result.rid


def test_a_peer_is_told_what_there_is(site):
    site.publish(1)
    site.subscribe(2)
    assert site.take() == []
    site.meet(0)
    assert site.take() == [(0, PublisherDeclaration(1)), (0, SubscriberDeclaration(2))]


def test_peers_are_told_what_comes_and_goes(site):
    site.meet(0)
    site.meet(1)
    one, other = site.subscribe(2), site.subscribe(2, number=1)
    site.register.unsubscribe(one, site.now)
    assert site.take() == [(0, SubscriberDeclaration(2)), (1, SubscriberDeclaration(2))]
    site.register.unsubscribe(other, site.now)
    assert site.take() == [(0, ForgetSubscriber(2)), (1, ForgetSubscriber(2))]


def test_the_last_publisher_of_a_resource_is_told_of(site):
    site.meet(0)
    first, second = site.publish(1), site.publish(1)
    for each in (first, second):
        site.register.unpublish(each, site.now)
    assert site.take() == [(0, PublisherDeclaration(1)), (0, ForgetPublisher(1))]


def test_a_publisher_that_is_unreliable_says_so(site):
    site.meet(0)
    site.publish(1, reliable=False)
    assert site.take() == [(0, PublisherDeclaration(1, UNRELIABLE))]


def test_a_history_waits_for_room_and_what_is_fresh_for_the_history(make_site):
    site = make_site(batch=2)
    for rid in range(1, 6):
        site.publish(rid)
    site.announcer.room = False
    site.meet(0)
    forgotten = site.publish(6)
    site.register.unpublish(forgotten, site.now)
    assert site.take() == []
    site.announcer.room = True
    site.settle()
    assert site.take() == [(0, PublisherDeclaration(rid)) for rid in range(1, 6)]


def test_what_is_forgotten_in_the_middle_of_a_history_is_forgotten_by_those_who_know_it(make_site):
    site = make_site(batch=1)
    first, second = site.publish(1), site.publish(2)
    room = iter([True, False])
    site.announcer.has_room = lambda _: next(room, False)
    site.meet(0)
    assert site.take() == [(0, PublisherDeclaration(1))]
    site.register.unpublish(first, site.now)
    site.register.unpublish(second, site.now)
    assert site.take() == [(0, ForgetPublisher(1))]


def test_samples_are_wanted_while_a_peer_subscribes(site):
    site.meet(4)
    assert site.register.route(PublisherSettings(1)) is None
    site.hear(4, SubscriberDeclaration(1))
    assert site.register.route(PublisherSettings(1)) == 0
    assert site.register.route(PublisherSettings(1, conduit=1)) == 1
    assert site.register.route(PublisherSettings(1, conduit=-5)) == -5
    assert site.register.route(PublisherSettings(1, conduit=-1)) is None
    assert site.register.route(PublisherSettings(1, switching=True)) == -5
    site.hear(4, ForgetSubscriber(1))
    assert site.register.route(PublisherSettings(1)) is None


def test_who_has_not_acknowledged_its_history_is_reached_by_id_alone(site):
    site.announcer.acked = False
    site.register.own.define(5, Meaning("/a", NOTHING), site.now)
    site.meet(0)
    site.hear(0, ResourceDeclaration(6, "/*"), SubscriberDeclaration(6))
    assert not site.register.subscribers(5)
    assert site.register.due(site.now) <= site.now + 0.01
    site.announcer.acked = True
    site.settle()
    assert site.register.subscribers(5) == {0}
    assert site.register.due(site.now) == float("inf")


def test_a_subscription_before_its_definition(site):
    site.meet(0)
    site.hear(0, SubscriberDeclaration(6))
    site.register.own.define(5, Meaning("/a", NOTHING), site.now)
    site.hear(0, Result(0, 0))
    assert not site.register.subscribers(5)
    site.hear(0, ResourceDeclaration(6, "/*"))
    assert site.register.subscribers(5) == {0}
    site.hear(0, ForgetResource(6))
    assert not site.register.subscribers(5)
    assert site.register.subscribers(6) == {0}


def test_recipients(site):
    site.meet(0)
    one = site.subscribe(2)
    peer = site.peers[0]
    assert site.register.recipients(peer, Data(0, True, False, 0, 2, None, b"")) == ((one,), 2, "")
    assert site.register.recipients(peer, Data(0, True, False, 0, 3, None, b"")) == ((), 3, "")
    assert site.register.recipients(peer, WriteData(0, True, False, 0, "/a", b"")) == ((), 0, "/a")
    site.hear(0, ResourceDeclaration(2, "/*"), ResourceDeclaration(3, "/a"))
    assert site.register.recipients(peer, Data(0, True, False, 0, 3, None, b"")) == ((one,), 3, "/a")
    assert site.register.recipients(peer, WriteData(0, True, False, 0, "/a", b"")) == ((one,), 0, "/a")
    assert site.register.recipients(peer, Data(0, True, False, 0, 2, 0, b"")).subscriptions == ()


def test_all_of_a_peer_goes_with_it_and_nothing_else(site):
    for index in (0, 1):
        site.meet(index)
        site.hear(
            index,
            ResourceDeclaration(5, "/a"),
            PublisherDeclaration(5, UNRELIABLE),
            SubscriberDeclaration(5),
            SelectionDeclaration(-1, "/s/*", globally=True),
            BindingDeclaration(-1, -2),
            SubscriberDeclaration(-2),
            TokenDeclaration(1, "/t"),
        )
    site.events()
    site.leave(0)
    forgotten = [(event.kind, event.peer_id) for event in site.events()]
    assert len(forgotten) == 7
    assert {peer_id for _, peer_id in forgotten} == {b"p0"}
    assert site.uri(5) == "/a"
    assert site.register.subscribers(5) == {1}
    site.leave(1)
    assert site.uri(5) == ""
    assert site.register.directory.names.uri(-1, {}) == ""
    assert site.register.directory.uses.contradiction(5, Told(True)) is None


class TestTransactions:
    def test_all_is_taken(self, site):
        site.meet(0)
        assert asked(site, 0, ResourceDeclaration(5, "/a"), SubscriberDeclaration(5)) == (ResultStatus.OK, None)
        assert site.uri(5) == "/a"

    def test_nothing_holds_before_the_commit(self, site):
        site.meet(0)
        site.hear(0, ResourceDeclaration(5, "/a"), committed=False)
        assert site.uri(5) == ""
        assert asked(site, 0)[0] is ResultStatus.OK
        assert site.uri(5) == "/a"

    @pytest.mark.parametrize(
        ("wrong", "status", "rid"),
        [
            pytest.param(ResourceDeclaration(6, "no"), ResultStatus.INVALID, 6, id="URI"),
            pytest.param(ResourceDeclaration(0, "/a"), ResultStatus.INVALID, 0, id="id 0"),
            pytest.param(ResourceDeclaration(6, "/a", WRONG), ResultStatus.INVALID, 6, id="quality"),
            pytest.param(PublisherDeclaration(6, WRONG), ResultStatus.INVALID, 6, id="publisher's quality"),
            pytest.param(PublisherDeclaration(-6), ResultStatus.INVALID, -6, id="unknown selection"),
            pytest.param(SubscriberDeclaration(6, 99), ResultStatus.INVALID, 6, id="mode"),
            pytest.param(SelectionDeclaration(-6, "//"), ResultStatus.INVALID, -6, id="query"),
            pytest.param(BindingDeclaration(-6, -7), ResultStatus.INVALID, -7, id="binding of nothing"),
            pytest.param(ResourceDeclaration(3, "/other"), ResultStatus.CONFLICT, 3, id="conflict"),
            pytest.param(TokenDeclaration(1, "t"), ResultStatus.INVALID, 1, id="token"),
            pytest.param(object(), ResultStatus.UNSUPPORTED, 0, id="what the node does not know"),
        ],
    )
    def test_or_nothing(self, site, wrong, status, rid):
        site.meet(0)
        site.meet(1)
        site.hear(1, ResourceDeclaration(3, "/known"))
        good = [
            ResourceDeclaration(5, "/a"),
            PublisherDeclaration(5),
            SubscriberDeclaration(5),
            SelectionDeclaration(-1, "/s"),
            BindingDeclaration(-1, -2),
            TokenDeclaration(1, "/t"),
        ]
        assert asked(site, 0, *good, wrong) == (status, rid)
        assert len(site.register.books[0]) == 0
        assert site.uri(5) == ""
        assert asked(site, 0, *good)[0] is ResultStatus.OK

    def test_what_was_there_before_stays(self, site):
        site.meet(0)
        site.hear(0, ResourceDeclaration(5, "/a"))
        assert asked(site, 0, ResourceDeclaration(5, "/a"), ResourceDeclaration(6, "no"))[0] is ResultStatus.INVALID
        assert site.uri(5) == "/a"

    def test_too_large(self, make_site):
        site = make_site(most_pending=2)
        site.meet(0)
        many = [PublisherDeclaration(rid) for rid in (4, 5, 6)]
        assert asked(site, 0, *many) == (ResultStatus.TRANSACTION_SIZE, 4)
        assert asked(site, 0, *many[:2])[0] is ResultStatus.OK

    def test_no_space(self, make_site):
        site = make_site(most_declarations=2)
        site.meet(0)
        assert asked(site, 0, *(PublisherDeclaration(rid) for rid in (4, 5, 6))) == (ResultStatus.NO_SPACE, 6)

    def test_again(self, site):
        """Another peer is at it."""
        site.meet(0)
        site.meet(1)
        assert asked(site, 0, ResourceDeclaration(5, "/a"))[0] is ResultStatus.OK
        assert asked(site, 1, ResourceDeclaration(5, "/b")) == (ResultStatus.AGAIN, 5)
        site.hear(0, ResourceDeclaration(5, "/a"))
        assert asked(site, 1, ResourceDeclaration(5, "/b")) == (ResultStatus.CONFLICT, 5)

    def test_what_is_not_confirmed_holds_after_a_while(self, site):
        site.meet(0)
        site.meet(1)
        asked(site, 0, ResourceDeclaration(5, "/a"))
        site.settle(6.0)
        assert asked(site, 1, ResourceDeclaration(5, "/b"))[0] is ResultStatus.CONFLICT

    def test_the_place_is_taken(self, site):
        site.meet(0)
        site.meet(1)
        site.hear(0, ResourceDeclaration(5, "/a", (unicast_property(),)))
        site.publish(5)
        site.hear(0, SubscriberDeclaration(5))
        assert asked(site, 1, SubscriberDeclaration(5)) == (ResultStatus.OTHER, 5)
        site.hear(0, ForgetSubscriber(5))
        assert asked(site, 1, SubscriberDeclaration(5))[0] is ResultStatus.OK
        assert site.register.route(PublisherSettings(5)) == -2


class TestDefinitions:
    def define(self, site, rid=5, uri="/a"):
        return site.register.own.define(rid, Meaning(uri, NOTHING), site.now)

    @pytest.mark.parametrize("status", [each for each in ResultStatus if each not in (0, ResultStatus.AGAIN)])
    def test_a_peer_may_refuse(self, site, status):
        site.meet(0)
        site.meet(1)
        definition, done = self.define(site), []
        definition.done = done.append
        site.settle()
        assert site.take() == [(index, definition.declaration(), Commit(0)) for index in (0, 1)]
        site.hear(0, Result(0, 0))
        site.hear(1, Result(0, status, 5))
        assert definition.status is status
        assert done == [definition]
        assert site.take() == [(0, ForgetResource(5)), (1, ForgetResource(5))]
        assert site.uri(5) == ""
        (event,) = site.events()
        assert (event.change, event.rid) == (DeclarationChange.REFUSED, 5)
        assert status.name in event.reason

    def test_a_status_that_is_unknown_is_a_refusal_too(self, site):
        site.meet(0)
        definition = self.define(site)
        site.hear(0, Result(0, 99, 5))
        assert definition.status is ResultStatus.OTHER

    def test_try_again(self, site):
        site.meet(0)
        definition = self.define(site)
        site.hear(0, Result(0, ResultStatus.AGAIN, 5))
        assert definition.status is None
        assert site.take()[-1] == (0, ForgetResource(5))
        site.settle(site.register.due(site.now) - site.now)
        assert site.take() == [(0, definition.declaration(), Commit(1))]
        site.hear(0, Result(0, 0))
        assert definition.status is None
        site.hear(0, Result(1, 0))
        assert definition.status is ResultStatus.OK
        assert site.take() == [(0, definition.declaration())]

    @pytest.mark.parametrize(("peer_id", "status"), [(b"mm", ResultStatus.OK), (b"mmmm", ResultStatus.AGAIN)])
    def test_the_lowest_id_wins(self, site, peer_id, status):
        """A shorter prefix precedes."""
        site.meet(0, peer_id)
        definition = self.define(site)
        assert asked_while_asking(site, ResourceDeclaration(5, "/b")) is status
        assert definition.asking is (status is ResultStatus.AGAIN)

    def test_peers_that_come_are_asked_too_and_those_that_go_need_not_answer(self, site):
        site.meet(0)
        definition = self.define(site)
        site.meet(1)
        assert (1, definition.declaration(), Commit(0)) in site.take()
        site.hear(0, Result(0, 0))
        assert definition.status is None
        site.leave(1)
        assert definition.status is ResultStatus.OK

    def test_who_does_not_answer_refuses(self, site):
        site.meet(0)
        definition = self.define(site)
        site.settle(30.0)
        assert definition.status is ResultStatus.OTHER
        assert b"p0".hex() in definition.reason

    def test_one_that_is_given_up_is_taken_back(self, site):
        site.meet(0)
        definition = self.define(site)
        site.settle()
        site.take()
        site.register.own.undefine(definition.number)
        site.settle()
        assert site.take() == [(0, ForgetResource(5))]
        assert site.uri(5) == ""

    def test_more_at_once_than_there_are_ids_of_transactions(self, site):
        site.meet(0)
        definitions = [self.define(site, rid, f"/{rid}") for rid in range(1, 301)]
        for _ in range(60):
            site.settle(1.0)
            for _, *declarations in site.take():
                if isinstance(declarations[-1], Commit):
                    site.hear(0, Result(declarations[-1].commit_id, 0))
        assert {each.status for each in definitions} == {ResultStatus.OK}


def asked_while_asking(site, declaration):
    site.settle()
    site.take()
    site.hear(0, declaration, Commit(9), committed=False)
    (result,) = [each for _, *told in site.take() for each in told if isinstance(each, Result)]
    return ResultStatus(result.status)


class TestContradictions:
    def test_a_committed_definition_of_something_else_ends_the_session_of_a_zhe_program(self, site):
        site.announcer.agreed = NO_EXTRAS
        site.meet(0)
        site.meet(1)
        site.hear(0, ResourceDeclaration(5, "/a"))
        site.hear(1, ResourceDeclaration(5, "/b"))
        assert site.peers[1].state is PeerState.EXPIRED
        assert site.peers[1].close_reason is CloseReason.INCOMPATIBLE_DECLARATION
        assert site.uri(5) == "/a"
        event = next(event for event in site.events() if event.change is DeclarationChange.CONFLICT)
        assert (event.first.uri, event.second.uri, event.peer_id) == ("/a", "/b", b"p1")

    def test_of_contradictory_qualities_the_first_stays(self, site):
        site.meet(0)
        site.meet(1)
        site.hear(0, PublisherDeclaration(5, UNRELIABLE))
        site.hear(1, ResourceDeclaration(5, "/a", (number_property(PropertyId.RELIABILITY, 1),)))
        assert site.peers[1].state is PeerState.ESTABLISHED
        assert site.register.directory.names.resources.get(5).meaning == Meaning("/a", Told(reliable=False))
        (event,) = [event for event in site.events() if event.change is DeclarationChange.CONFLICT]
        assert (event.kind, event.rid) == (DeclarationKind.RESOURCE, 5)
        assert (event.first.told, event.second.told) == (Told(reliable=False), Told(reliable=True))

    def test_after_the_use_has_ended_there_is_none(self, site):
        site.meet(0)
        site.hear(0, PublisherDeclaration(5, UNRELIABLE), ForgetPublisher(5))
        reliable = (number_property(PropertyId.RELIABILITY, 1),)
        assert asked(site, 0, ResourceDeclaration(5, "/a", reliable))[0] is ResultStatus.OK

    def test_who_uses_a_resource_otherwise_than_it_is_defined_is_told_of(self, site):
        site.meet(0)
        site.hear(0, ResourceDeclaration(5, "/a", (number_property(PropertyId.RELIABILITY, 1),)))
        site.events()
        site.hear(0, PublisherDeclaration(5, UNRELIABLE))
        assert [event.change for event in site.events()] == [DeclarationChange.CONFLICT, DeclarationChange.DECLARED]


def test_what_is_forgotten_twice_does_no_harm(site):
    site.meet(0)
    site.hear(0, *(each(9) for each in (ForgetResource, ForgetPublisher, ForgetSubscriber)), ForgetSelection(-9))
    assert site.peers[0].state is PeerState.ESTABLISHED
    assert site.events() == []


def test_the_qualities_of_several_publishers(site):
    reliable, unreliable = site.publish(5), site.publish(5, reliable=False)
    told = Told(reliable=False)
    assert site.register.directory.uses.contradiction(5, told)
    site.register.unpublish(reliable, site.now)
    assert not site.register.directory.uses.contradiction(5, told)
    site.register.unpublish(unreliable, site.now)
    assert not site.register.directory.uses.contradiction(5, Told(reliable=True))


def test_what_a_peer_has_not_agreed_on_it_is_not_told(site):
    site.announcer.agreed = NO_EXTRAS
    site.register.own.select("/s/*", globally=False)
    site.publish(1)
    site.meet(0)
    assert site.take() == [(0, PublisherDeclaration(1))]


def test_a_peer_that_speaks_before_it_is_welcomed_is_answered_then(site):
    peer = site.meet(0)
    site.leave(0)
    site.peers[0] = peer
    peer.announced = False
    site.take()
    site.hear(0, PublisherDeclaration(5), Commit(3), committed=False)
    assert site.take() == []
    peer.announced = True
    site.register.welcome(peer, site.now)
    assert site.take() == [(0, Result(3, 0))]


class Counting(dict):
    """A dictionary that counts how often one of its items is touched, and can't be gone through."""

    touched = 0

    def get(self, *arguments):
        self.touched += 1
        return super().get(*arguments)

    def __iter__(self):
        raise AssertionError("all of it was looked at")

    values = items = keys = __iter__


@pytest.mark.parametrize("others", [0, 2000])
def test_resetting_a_peer_costs_as_much_as_it_has_declared(site, others):
    site.meet(0)
    site.meet(1)
    site.hear(1, *(ResourceDeclaration(rid, f"/{rid}") for rid in range(100, 100 + others)))
    site.hear(0, *(ResourceDeclaration(rid, f"/{rid}") for rid in range(1, 11)))
    resources = site.register.directory.names.resources
    resources._by_rid = counting = Counting(resources._by_rid)
    site.leave(0)
    assert len(counting) == others
    assert 10 <= counting.touched <= 40


def test_a_look_up_is_remembered_until_something_changes(site, monkeypatch):
    site.meet(0)
    site.hear(0, SubscriberDeclaration(5))
    looked = []
    directory = site.register.directory
    real = directory._remote.find
    monkeypatch.setattr(directory._remote, "find", lambda *key: looked.append(key) or real(*key))
    for _ in range(3):
        assert site.register.route(PublisherSettings(5)) == 0
    assert len(looked) == 1
    site.hear(0, SubscriberDeclaration(6))
    site.register.route(PublisherSettings(5))
    assert len(looked) == 2


def test_peers_are_heard_while_the_node_declares(site):
    peers = [site.meet(index) for index in range(4)]
    failures = []

    def hear(peer):
        try:
            for rid in range(1, 200):
                declarations = (ResourceDeclaration(rid, f"/{rid}"), SubscriberDeclaration(rid), ForgetSubscriber(rid))
                site.register.receive(peer, Declare(2, False, True, 0, declarations), site.now)
                site.register.recipients(peer, Data(0, True, False, 0, rid, None, b""))
        except Exception as failure:
            failures.append(failure)
            raise

    threads = [Thread(target=hear, args=(peer,)) for peer in peers]
    for thread in threads:
        thread.start()
    for rid in range(300, 400):
        settings = site.publish(rid)
        site.register.route(settings)
        site.subscribe(rid, number=rid)
        site.settle()
    for thread in threads:
        thread.join()
    site.settle()
    assert not failures
    assert all(len(book.resources) == 199 and not book.subscriptions for book in site.register.books.values())
    told = [(index, declaration) for index, declaration in site.take() if isinstance(declaration, PublisherDeclaration)]
    assert sorted(told) == [(index, PublisherDeclaration(rid)) for index in range(4) for rid in range(300, 400)]
