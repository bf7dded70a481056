"""The service: applied from a configuration, degraded and said so, and ended in order."""

import os
from types import SimpleNamespace

import pytest

from fakeclock import FakeClock, settle
from forebay.msgstore import StoreFailedError
from forebay.outfeed import service as module
from forebay.outfeed.configuration import Surroundings
from forebay.outfeed.sending.feed import Outcome
from forebay.outfeed.service import OutfeedService, disk_degradations
from forebay.runtime.document import ConfigDocument
from forebay.runtime.errors import SettingsError, TaskCrashedError
from forebay.runtime.leaseholder import holder
from forebay.runtime.secret import Secret
from forebay.runtime.tasks import Supervisor
from forebay.spill import SpillSettingsError, SpillUnavailableError
from forebay.spill.address import parse_url
from manifests import NAMESPACE, outfeed, peerfeed, spill
from memoryspool import MemoryRedis, MemorySpill
from onepeer import IDLE
from storerooms import content

PORT = {"nntp": {"port": 1190}}


class FakeListener:
    """A listener without a socket; `taken` ports cannot be listened on."""

    taken: frozenset[int] = frozenset()

    def __init__(self, intake, settings):
        self.settings = settings
        self.port = settings.port
        self.connected = 0
        self.drained = ""

    async def start(self):
        if self.settings.port in self.taken:
            raise OSError(98, "Address already in use")

    def apply(self, settings):
        self.settings = settings

    async def drain(self, reason):
        self.drained = reason


class FakeSpill(MemorySpill):
    """The client, which notes its settings and its end."""

    def __init__(self, redis, settings):
        super().__init__(redis)
        self.settings = settings
        self.address = parse_url(settings.url)
        self.closed = False

    def authenticate(self, url):
        if parse_url(url).place != self.address.place:
            raise SpillSettingsError("another place")
        self.address = parse_url(url)

    async def close(self):
        self.closed = True


@pytest.fixture
def world(tmp_path, made, monkeypatch):
    """A service that has neither Redis nor sockets, and what it made of both."""
    clock = FakeClock()
    world = SimpleNamespace(clock=clock, tasks=Supervisor(clock), spills=[], redis=MemoryRedis(clock), revision=0)

    def new_spill(settings, service, uid):
        world.spills.append(FakeSpill(world.redis, settings))
        return world.spills[-1]

    monkeypatch.setattr(module, "Spill", new_spill)
    monkeypatch.setattr(module, "Listener", FakeListener)
    monkeypatch.setattr(FakeListener, "taken", frozenset())
    surroundings = Surroundings(lambda spill: "redis://managed", lambda outfeed: "127.0.0.1")
    world.folder = tmp_path / "data"
    world.new = lambda: OutfeedService((NAMESPACE, "main"), world.folder, surroundings, clock)
    return world


@pytest.fixture
async def service(world):
    service = world.new()
    await service.start(world.tasks)
    yield service
    await service.drain()


async def apply(world, service, *manifests, secrets=None):
    world.revision += 1
    results = await service.apply(ConfigDocument(world.revision, manifests, secrets or {}))
    await settle(IDLE)
    return results


async def seconds(world, count):
    """Let time pass; the clockwork waits for threads, so until it sleeps again."""
    for _ in range(count):
        world.clock.advance(1)
        while not world.clock.sleepers:
            await settle(1)
        await settle(IDLE)


def faults(results):
    return {(each.kind, each.name): [tuple(one) for one in each.violations] for each in results if each.violations}


def reasons(service):
    return [each.reason for each in service.degradations()]


# Applying


async def test_before_a_configuration_it_says_that_it_has_none(service):
    assert reasons(service) == ["NotConfigured"]
    assert list(service.collect()) == []
    assert service.access() == ()
    assert service.nntp_port is None


async def test_a_configuration_without_our_outfeed_changes_nothing(world, service):
    results = await apply(world, service, spill(), outfeed("other"))
    assert [result.applied for result in results] == [True, True]
    assert reasons(service) == ["NotConfigured"]


async def test_a_sound_configuration_is_applied(world, service):
    results = await apply(world, service, spill(), outfeed(), peerfeed("a"))
    assert not faults(results)
    await seconds(world, 2)
    assert reasons(service) == []
    assert any(family.name == "forebay_outfeed_offered" for family in service.collect())


async def test_a_second_configuration_changes_what_differs(world, service):
    await apply(world, service, spill(), outfeed(), peerfeed("a"))
    rooms = service._rooms
    limits = {"maxSize": "50KB", "maxHeaderSize": "10KB"}
    await apply(world, service, spill(), outfeed(articles=limits, history={"rejectOld": False}), peerfeed("b"))
    assert service._rooms is rooms
    assert [peer.options.name for peer in rooms.peers] == ["b"]
    assert rooms.masterfeed.limits.article_octets == 50_000
    assert not rooms.masterfeed.reject_old


@pytest.mark.parametrize(("given", "expected"), [({}, "everysec"), ({"durability": "always"}, "always")])
async def test_the_durability_of_the_spill_is_passed_on(world, service, given, expected):
    await apply(world, service, spill(url="redis://r.example", **given), outfeed())
    assert world.spills[0].settings.durability == expected
    assert world.spills[0].settings.url == "redis://r.example"


async def test_another_url_needs_a_restart_and_says_so(world, service):
    await apply(world, service, spill(), outfeed())
    results = await apply(world, service, spill(url="redis://new.example"), outfeed())
    ((field, problem),) = faults(results)["Spill", "main"]
    assert field == "spec"
    assert "restart" in problem
    assert len(world.spills) == 1


async def test_another_password_of_redis_is_used_without_a_restart(world, service):
    await apply(world, service, spill(url="redis://r.example"), outfeed(), peerfeed("a"))
    given = spill(urlFrom={"secretRef": {"name": "redis", "key": "url"}})
    secrets = {f"{NAMESPACE}/redis": {"url": Secret("redis://feeder:new@r.example")}}
    results = await apply(world, service, given, outfeed(), peerfeed("a"), secrets=secrets)
    assert not faults(results)
    assert (len(world.spills), world.spills[0].address.password) == (1, "new")


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param((spill(managed={}, url="x"), outfeed()), id="spill"),
        pytest.param((spill(urlFrom={"secretRef": {"name": "gone", "key": "url"}}), outfeed()), id="secret"),
        pytest.param((outfeed(),), id="no spill"),
        pytest.param((spill(), outfeed(history={"remember": "soon"})), id="outfeed"),
    ],
)
async def test_while_the_outfeed_or_its_spill_has_a_fault_peers_are_changed_all_the_same(world, service, broken):
    await apply(world, service, spill(), outfeed(listeners=PORT), peerfeed("a"))
    rooms = service._rooms
    results = await apply(world, service, *broken, peerfeed("a", window=7), peerfeed("b"))
    assert {kind for kind, _ in faults(results)} <= {"Spill", "Outfeed"}
    assert service._rooms is rooms
    assert {peer.options.name: peer.options.spec.window for peer in rooms.peers} == {"a": 7, "b": 400}


async def test_a_configuration_of_somebody_else_takes_no_peer_away(world, service):
    await apply(world, service, spill(), outfeed(), peerfeed("a"))
    await apply(world, service, spill(), outfeed("other"))
    assert [peer.options.name for peer in service._rooms.peers] == ["a"]


async def test_what_cannot_run_yet_is_not_told_to_be_applied(world, service):
    given = spill(urlFrom={"secretRef": {"name": "gone", "key": "url"}})
    results = await apply(world, service, given, outfeed(), peerfeed("a"))
    assert [result.applied for result in results] == [False, False, False]
    assert reasons(service) == ["NotConfigured"]


async def test_nntp_without_an_address_is_served_where_the_surroundings_say(world, service):
    await apply(world, service, spill(), outfeed(listeners=PORT))
    assert service._listener.settings.address == "127.0.0.1"


async def test_a_faulty_peer_is_told_and_stays_as_it_was(world, service):
    await apply(world, service, spill(), outfeed(), peerfeed("a"))
    results = await apply(world, service, spill(), outfeed(), peerfeed("a", window=0))
    assert [field for field, _ in faults(results)["Peerfeed", "a"]] == ["spec.window"]
    assert [peer.options.spec.window for peer in service._rooms.peers] == [400]


async def test_the_listener_follows_the_configuration(world, service):
    await apply(world, service, spill(), outfeed(listeners=PORT))
    first = service._listener
    assert service.nntp_port == 1190
    await apply(world, service, spill(), outfeed(listeners=PORT, articles={"maxSize": "2MB"}))
    assert service._listener is first
    assert first.settings.article_octets == 2_000_000
    await apply(world, service, spill(), outfeed(listeners={"nntp": {"port": 1191}}))
    assert first.drained
    assert service.nntp_port == 1191
    await apply(world, service, spill(), outfeed())
    assert service.nntp_port is None


async def test_a_port_that_is_taken_is_told_and_the_rest_applied(world, service):
    FakeListener.taken = frozenset({1190})
    results = await apply(world, service, spill(), outfeed(listeners=PORT), peerfeed("a"))
    ((field, problem),) = faults(results)["Outfeed", "main"]
    assert field == "spec.listeners.nntp"
    assert problem == "cannot listen on 127.0.0.1 port 1190: Address already in use; free it, or choose another"
    assert len(service._rooms.peers) == 1


async def test_a_port_that_was_taken_is_tried_again_with_the_next_configuration(world, service):
    FakeListener.taken = frozenset({1190})
    await apply(world, service, spill(), outfeed(listeners=PORT))
    FakeListener.taken = frozenset()
    results = await apply(world, service, spill(), outfeed(listeners=PORT))
    assert not faults(results)
    assert service.nntp_port == 1190


async def test_who_may_call_what_comes_from_the_configuration(world, service):
    await apply(world, service, spill(), outfeed(access=[{"principal": "a", "methods": ["*"]}]))
    assert [rule.principal for rule in service.access()] == ["a"]


# Degraded


async def test_backlogs_that_cannot_be_used_are_a_degradation(world, service):
    await apply(world, service, spill(), outfeed(), peerfeed("a"), peerfeed("b"))
    await seconds(world, 2)
    service._rooms.peers["a"].backlog.trouble = SpillUnavailableError("Redis is away")
    (degradation,) = service.degradations()
    assert (degradation.reason, degradation.kind, degradation.name) == ("SpillUnavailable", "Spill", "main")
    assert "1 peers cannot be used (a: Redis is away)" in degradation.message


async def test_without_peers_it_is_told_all_the_same_that_redis_is_away(world, service):
    await apply(world, service, spill(), outfeed())
    await seconds(world, 2)
    world.redis.away = True
    (degradation,) = service.degradations()
    assert (degradation.reason, degradation.kind, degradation.name) == ("SpillUnavailable", "Spill", "main")
    assert "Redis is away" in degradation.message


async def test_bodies_that_are_held_are_a_degradation(world, service):
    world.redis.away = True
    await apply(world, service, spill(), outfeed(), peerfeed("a"))
    assert reasons(service) == ["SpillUnavailable", "DeletionHeld"]
    world.redis.away = False
    service._rooms.peers["a"].come_back()
    await seconds(world, 2)
    assert reasons(service) == []


async def test_a_full_log_a_full_disk_and_damage_are_degradations(house, monkeypatch):
    monkeypatch.setattr(type(house.storeroom), "disk_full", True)
    monkeypatch.setattr(type(house.storeroom.feedlog.room), "is_full", True)
    monkeypatch.setattr(type(house.storeroom.feedlog), "damage", ["log/0 at 16"])
    found = {each.reason: each.message for each in disk_degradations(house.rooms)}
    assert {"FeedLogFull", "DiskFull", "Damage"} <= set(found)
    assert "1 records" in found["Damage"]
    assert "spec.storage.logLimit" in found["FeedLogFull"]


# Its life


async def test_a_folder_serves_one_process_alone(world, service):
    with pytest.raises(SettingsError, match=f"in use by pid {os.getpid()}"):
        await world.new().start(world.tasks)


async def test_the_holder_of_leases_is_the_same_after_a_restart(tmp_path):
    assert holder(tmp_path) == holder(tmp_path)
    (tmp_path / "other").mkdir()
    assert holder(tmp_path / "other") != holder(tmp_path)


async def test_every_second_peers_are_polled_and_what_was_settled_is_let_go(world, service, made):
    await apply(world, service, spill(), outfeed(), peerfeed("a"))
    made.last.open()
    rooms = service._rooms
    await rooms.masterfeed.offer([content("one")], wire=False)
    polls = made.last.polls
    await seconds(world, 2)
    assert made.last.polls >= polls + 1
    assert rooms.storeroom.store.stats.messages == 1
    feed = made.last.feed
    feed.settle(Outcome.ACCEPTED, feed.take(9), "239")
    await seconds(world, 2)
    assert rooms.storeroom.store.stats.messages == 0


async def test_a_failed_disk_ends_the_service(world, service):
    await apply(world, service, spill(), outfeed())
    service._rooms.masterfeed.failure = StoreFailedError("sync failed")
    world.clock.advance(1)
    crash = await world.tasks.crashed()
    assert isinstance(crash, TaskCrashedError)
    assert "outfeed clockwork" in str(crash)


async def test_backlogs_are_sampled_once_a_minute(world, service, monkeypatch):
    await apply(world, service, spill(), outfeed(), peerfeed("a"))
    sampled = []
    monkeypatch.setattr(service._rooms.storeroom.outcomes, "sample", lambda *sample: sampled.append(sample))
    await seconds(world, 62)
    assert [name for name, _ in sampled] == ["a", "a"]


async def test_a_service_that_stops_takes_nothing_more(world, service):
    await apply(world, service, spill(), outfeed())
    service.quiesce()
    assert service._rooms.masterfeed.closed == "the service stops"


async def test_it_ends_in_order_and_gives_the_folder_free(world, service):
    await apply(world, service, spill(), outfeed(listeners=PORT), peerfeed("a"))
    await service._rooms.masterfeed.offer([content("one")], wire=False)
    listener, rooms = service._listener, service._rooms
    await service.drain()
    assert listener.drained == "the service stops"
    assert world.spills[0].closed
    assert rooms.peers.checkpoints == {0: 0}
    again = world.new()
    await again.start(world.tasks)
    await apply(world, again, spill(), outfeed(), peerfeed("a"))
    assert again._rooms.storeroom.feedlog.was_clean
    assert again._rooms.peers["a"].feed.ledger.queued == 1
    await again.drain()


async def test_it_can_be_ended_before_it_was_configured(world):
    service = world.new()
    await service.start(world.tasks)
    service.quiesce()
    await service.drain()
