"""The relay with real clients: what fails, stalls or never ends leaves nothing behind."""

import asyncio
from contextlib import asynccontextmanager
from random import Random

from eventually import eventually
from forebay.announcer.forwarding.dispatcher import Dispatcher
from forebay.announcer.forwarding.forwarderstate import Condition
from forebay.announcer.forwarding.outcome import Cause
from forebay.announcer.forwarding.overview import forwarder_statuses
from forebay.announcer.forwarding.relay import Relay
from forebay.announcer.forwarding.settings import ForwardingSettings
from forebay.announcer.upstream.upstreams import Upstreams
from forebay.runtime import SystemClock
from forwardings import announce, spec
from openfiles import open_files
from ports import free_port
from trackers import HttpTracker, told


class Site:
    def __init__(self, specs, settings):
        self.clock = SystemClock()
        self.upstreams = Upstreams(self.clock)
        self.dispatcher = Dispatcher(settings, Random(0), self.clock.monotonic())
        self.dispatcher.configure(settings, specs, self.clock.monotonic())
        self.heard = []
        self.relay = Relay(self.dispatcher, self.upstreams.announce, self.hear, self.clock)

    def announced(self, torrent="torrent", initial=False):
        self.dispatcher.announced(announce(torrent), lambda _: not initial, self.clock.monotonic())

    def hear(self, announce, forwarder, answer):
        self.heard.append((forwarder, answer))

    def states(self):
        return {status.name: status for status in forwarder_statuses(self.dispatcher, self.clock.monotonic())}

    async def idle(self):
        await eventually(lambda: self.relay.status().pending == 0)


@asynccontextmanager
async def running(specs, **settings):
    tasks = asyncio.all_tasks()
    site = Site(specs, ForwardingSettings(**settings))
    relay = asyncio.create_task(site.relay.run())
    try:
        yield site
    finally:
        relay.cancel()
        await asyncio.wait([relay])
        await site.upstreams.close()
        await eventually(lambda: asyncio.all_tasks() <= tasks)


async def test_trackers_of_all_kinds_side_by_side(tracker, udp_tracker):
    specs = [spec("udp", udp_tracker.url()), spec("dead", f"http://127.0.0.1:{free_port()}/announce")]
    specs += [
        spec(path, tracker.url(f"/{path}")) for path in ("announce", "gzip", "404", "429", "never", "retry-in-ten")
    ]
    async with running(specs) as site:
        site.announced(initial=True)
        await site.idle()
        states = site.states()
    assert sorted(name for name, _ in site.heard) == ["announce", "gzip", "udp"]
    assert {name: states[name].cause for name in ("dead", "404", "429", "never")} == {
        "dead": Cause.CONNECTION_REFUSED,
        "404": Cause.REJECTED,
        "429": Cause.TOO_MANY_REQUESTS,
        "never": Cause.RETRY_NEVER,
    }
    assert states["429"].condition is Condition.SUSPENDED
    assert states["retry-in-ten"].condition is Condition.ENABLED


async def test_thousands_of_failures_leave_no_socket(tracker, scale):
    before = open_files()
    async with running([spec(url=tracker.url("/503"))], fail_threshold=0, attempts=1) as site:
        for number in range(1000 * scale):
            site.announced(f"t{number}")
        await site.idle()
        assert len(tracker.requests) == 1000 * scale
        assert tracker.connections <= 20
    await eventually(lambda: tracker.open == 0)
    await eventually(lambda: open_files() <= before)


async def test_a_tracker_that_never_answers_is_disabled_and_leaves_no_connection(tracker):
    async with running([spec(url=tracker.url("/silent"), timeout=0.05)], workers=3, attempts=1) as site:
        for number in range(30):
            site.announced(f"t{number}")
        await site.idle()
        assert site.states()["one"].cause is Cause.TOO_MANY_FAILURES
    await eventually(lambda: tracker.open == 0)


async def test_slow_trackers_do_not_keep_the_relay_from_ending():
    tracker = HttpTracker()
    await tracker.start()
    async with running([spec(url=tracker.url("/silent"))]) as site:
        for number in range(50):
            site.announced(f"t{number}")
        await eventually(lambda: tracker.open == 10)
    await eventually(lambda: tracker.open == 0)
    await tracker.stop()


async def test_trackers_that_never_end_cost_no_more_than_the_workers(tracker, udp_tracker, scale):
    udp_tracker.drop_connects = 10**9
    paths = ("/silent", "/endless", "/reset", "/close-ends-it", "/long", "/loop")
    specs = [spec(path.strip("/"), tracker.url(path), timeout=0.2) for path in paths]
    specs.append(spec("udp", udp_tracker.url(), timeout=0.2))
    tasks, files = len(asyncio.all_tasks()), open_files()
    async with running(specs, workers=5, max_workers=10, attempts=1, fail_threshold=0) as site:
        before = len(asyncio.all_tasks())
        for number in range(20 * scale):
            site.announced(f"t{number}")
        while site.relay.status().pending:
            await asyncio.sleep(0.05)
            assert site.relay.workers <= 10
            assert len(asyncio.all_tasks()) - before <= 3 * 10 + len(tracker.tasks)
        assert tracker.most_open <= 2 * 10, "one that was given up may still be closing"
        states = site.states()
    assert {name for name, state in states.items() if state.samples} == {"close-ends-it"}
    assert {states["silent"].condition, states["udp"].condition} == {Condition.ENABLED}
    await eventually(
        lambda: (tracker.open, open_files() <= files, len(asyncio.all_tasks()) <= tasks) == (0, True, True)
    )


async def test_a_reason_tells_no_key_of_the_url(tracker):
    reason = "k-12345678 of http://t.example/?k=1 is unknown"
    tracker.replies["/k-12345678/announce"] = told(failure_reason=reason, retry_in="never")
    async with running([spec("one", tracker.url("/k-12345678/announce"))]) as site:
        site.announced(initial=True)
        await site.idle()
        assert site.states()["one"].reason == "… of http://t.example is unknown"
