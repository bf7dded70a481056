"""Disabled and suspended forwarders stay so over a restart, until a call, a change of their spec, or time ends it."""

import asyncio
from contextlib import suppress
from random import Random

import pytest

from eventually import eventually
from fakeclock import FakeClock
from forebay.announcer.forwarding.dispatcher import Dispatcher
from forebay.announcer.forwarding.forwarderstate import Condition
from forebay.announcer.forwarding.outcome import Cause
from forebay.announcer.forwarding.overview import forwarder_statuses
from forebay.announcer.forwarding.settings import ForwardingSettings
from forebay.announcer.lasting.forwarderkeeper import NAME, ForwarderKeeper
from forwardings import announce, failure, spec

TWO = (spec("f0"), spec("f1"))


class Life:
    """A dispatcher with its keeper, from one start to the next."""

    def __init__(self, folder, clock, specs=TWO, paused=()):
        self.clock = clock
        self.settings = ForwardingSettings()
        self.core = Dispatcher(self.settings, Random(0), clock.monotonic())
        self.core.configure(self.settings, specs, clock.monotonic(), paused)
        self.keeper = ForwarderKeeper(self.core, folder, clock)
        self.loaded = self.keeper.load()

    def fail(self, name, outcome):
        """Have an upstream's answer to a request be this."""
        now = self.clock.monotonic()
        for _ in self.core.forwarders.all():
            self.core.announced(announce(f"t{now}"), lambda _: True, now)
        while errand := self.core.take(now):
            if errand.spec.name == name:
                self.core.done(errand.job, outcome, now)
        return self

    def conditions(self):
        return {status.name: status.condition for status in forwarder_statuses(self.core, self.clock.monotonic())}

    def reason(self, name):
        return next(
            (status.cause, status.reason)
            for status in forwarder_statuses(self.core, self.clock.monotonic())
            if status.name == name
        )


def later(clock, seconds=0.0):
    """The clock of a machine that was started anew."""
    return FakeClock(3.0, clock.wall() + seconds)


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
async def first(tmp_path, clock):
    """One life in which f0 was told never to come back."""
    life = Life(tmp_path, clock).fail("f0", failure(Cause.RETRY_NEVER, reason="retry in never: go away"))
    await life.keeper.save()
    return life


async def test_without_a_file_all_are_enabled(tmp_path, clock):
    assert Life(tmp_path, clock).loaded == 0


async def test_never_holds_over_a_restart_with_its_reason(tmp_path, clock, first):
    second = Life(tmp_path, later(clock, 30 * 86_400.0))
    assert second.loaded == 1
    assert second.conditions() == {"f0": Condition.DISABLED, "f1": Condition.ENABLED}
    assert second.reason("f0") == (Cause.RETRY_NEVER, "retry in never: go away")


async def test_never_holds_over_two_restarts(tmp_path, clock, first):
    await Life(tmp_path, later(clock)).keeper.save()
    assert Life(tmp_path, later(clock)).loaded == 1


async def test_a_call_ends_it_for_good(tmp_path, clock, first):
    first.core.enable("f0")
    await first.keeper.save()
    assert Life(tmp_path, later(clock)).conditions()["f0"] is Condition.ENABLED


async def test_a_call_after_a_restart_ends_it_for_good(tmp_path, clock, first):
    second = Life(tmp_path, later(clock))
    second.core.enable("f0")
    await second.keeper.save()
    assert Life(tmp_path, later(clock)).conditions()["f0"] is Condition.ENABLED


@pytest.mark.parametrize(
    "change",
    [{"url": "http://other.example/announce"}, {"host": "other.example"}, {"timeout": 5.0}],
    ids=["url", "host", "timeout"],
)
async def test_a_change_of_its_spec_ends_it(tmp_path, clock, first, change):
    second = Life(tmp_path, later(clock), (spec("f0", **change), spec("f1")))
    assert second.conditions()["f0"] is Condition.ENABLED


async def test_it_holds_over_a_pause_and_restarts_within_it(tmp_path, clock, first):
    f0, f1 = TWO
    first.core.configure(first.settings, [f1], clock.monotonic(), [f0])
    await first.keeper.save()
    second = Life(tmp_path, later(clock), [f1], [f0])
    assert second.conditions() == {"f1": Condition.ENABLED}
    second.core.enable("f1")
    await second.keeper.save()
    third = Life(tmp_path, later(clock), [f1], [f0])
    third.core.configure(third.settings, TWO, third.clock.monotonic())
    assert third.conditions() == {"f0": Condition.DISABLED, "f1": Condition.ENABLED}
    assert third.reason("f0") == (Cause.RETRY_NEVER, "retry in never: go away")


async def test_the_other_of_two_is_not_taken_for_it(tmp_path, clock, first):
    second = Life(tmp_path, later(clock), (spec("f1"),))
    assert second.conditions() == {"f1": Condition.ENABLED}


async def test_a_suspension_goes_on_by_the_wall_clock_and_ends_by_time(tmp_path, clock):
    first = Life(tmp_path, clock).fail("f0", failure(Cause.TOO_MANY_REQUESTS, reason="HTTP 429"))
    await first.keeper.save()
    second = Life(tmp_path, later(clock, 299.0))
    assert second.conditions()["f0"] is Condition.SUSPENDED
    assert second.reason("f0") == (Cause.TOO_MANY_REQUESTS, "HTTP 429")
    second.clock.advance(1.1)
    assert second.conditions()["f0"] is Condition.ENABLED
    assert Life(tmp_path, later(clock, 301.0)).conditions()["f0"] is Condition.ENABLED


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"version": 2, "forwarders": []}',
        b'{"version": 1}',
        b'{"version": 1, "forwarders": [{"digest": "x"}]}',
        b'{"version": 1, "forwarders": [{"digest": "", "name": "", "cause": "x", "reason": "", "until": null}]}',
    ],
    ids=["empty", "cut", "list", "version", "nothing", "field", "cause"],
)
async def test_a_damaged_file_is_told_and_all_are_tried_again(tmp_path, clock, content, capsys):
    (tmp_path / NAME).write_bytes(content)
    assert Life(tmp_path, clock).loaded == 0
    assert str(tmp_path / NAME) in capsys.readouterr().out


async def test_changes_are_written_within_a_second(tmp_path, clock, first):
    second = Life(tmp_path, clock)
    running = asyncio.create_task(second.keeper.run())
    second.fail("f1", failure(Cause.REJECTED))
    await clock.run(1.0)
    await eventually(lambda: Life(tmp_path, later(clock)).loaded == 2)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


async def test_what_has_not_changed_is_not_written(tmp_path, clock, first):
    (tmp_path / NAME).unlink()
    clock.advance(60)
    await first.keeper.save()
    assert not (tmp_path / NAME).exists()


async def test_a_disk_that_fails_is_told(tmp_path, clock, first):
    (tmp_path / f"{NAME}.new").mkdir()
    first.core.enable("f0")
    await first.keeper.save()
    assert "could not be written" in first.keeper.problem
    (tmp_path / f"{NAME}.new").rmdir()
    await first.keeper.save()
    assert first.keeper.problem == ""
