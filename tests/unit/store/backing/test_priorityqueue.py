"""A queue with priorities: the highest first, oldest first within one; any history against plain Python."""

import asyncio

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from backingqueues import ALL, Stores, contents, deliveries, drain, fetch, publish, settle
from forebay.msgstore.queuerecord import ranges
from forebay.store.backing.priorityqueue import RANK
from forebay.store.backing.run import Span, spans_of
from forebay.store.errors import UnknownSpanError
from powerloss import PowerLossDisk
from unit.store.backing.queuemodel import QueueModel
from unit.store.backing.small import shrink

TOP = 2


def span_of(position, count=1):
    return Span(TOP - (position >> RANK), position & ((1 << RANK) - 1), count)


def positions(queue, spans):
    return [queue.position(span) + at for span in spans for at in range(span.count)]


@pytest.fixture
async def queue(stores):
    queue = await stores.open_levels(TOP)
    yield queue
    queue.close()


def leveled(stores, *priorities, **options):
    return [stores.arrival(priority=priority, **options) for priority in priorities]


async def test_highest_goes_first_and_the_oldest_of_its_level(stores, queue):
    arrivals = leveled(stores, 0, 2, 1, 2, 0)
    publish(queue, arrivals)
    assert contents(await fetch(queue, 5)) == [arrivals[at].content for at in (1, 3, 2, 0, 4)]


async def test_priority_above_the_highest_counts_as_that(stores, queue):
    arrivals = leveled(stores, 2, 200, 2)
    assert publish(queue, arrivals) == [Span(2, 0, 3)]


async def test_later_message_of_a_higher_priority_overtakes(stores, queue):
    arrivals = leveled(stores, 0, 0, 1)
    publish(queue, arrivals[:2])
    assert contents(await fetch(queue, 1)) == [arrivals[0].content]
    publish(queue, arrivals[2:])
    assert contents(await fetch(queue, 2)) == [arrivals[2].content, arrivals[1].content]


async def test_full_queue_of_three_loses_the_lowest(stores, queue):
    arrivals = leveled(stores, 5, 1, 1, 0, 5)
    publish(queue, arrivals)
    dropped = queue.drop(2)
    assert contents(dropped) == [arrivals[3].content, arrivals[1].content]
    queue.ack(spans_of(dropped))
    assert await drain(queue) == [arrivals[at].content for at in (0, 4, 2)]


async def test_requeued_message_comes_before_the_rest_of_its_level(stores, queue):
    arrivals = leveled(stores, 1, 1, 2)
    publish(queue, arrivals)
    runs = await fetch(queue, 2)
    queue.requeue(spans_of(runs))
    runs = await fetch(queue, 3)
    assert contents(runs) == [arrivals[at].content for at in (2, 0, 1)]
    assert deliveries(runs) == [1, 1, 0]


async def test_span_that_is_not_held_changes_no_level(stores, queue):
    publish(queue, leveled(stores, 0, 1))
    runs = await fetch(queue, 2)
    with pytest.raises(UnknownSpanError):
        queue.ack([*spans_of(runs), Span(2, 0, 1)])
    assert queue.unacked == 2


async def test_checkpoint_and_restart_keep_levels_and_deliveries(stores):
    queue = await stores.open_levels(TOP)
    arrivals = leveled(stores, 0, 2, 1)
    publish(queue, arrivals)
    await fetch(queue, 1)
    settle(queue)
    queue.close()
    queue = await stores.open_levels(TOP)
    runs = await fetch(queue, 3)
    assert contents(runs) == [arrivals[at].content for at in (1, 2, 0)]
    assert deliveries(runs) == [1, 0, 0]
    queue.close()


async def test_insides_are_told_of_each_level_and_counts_are_sums(stores, queue):
    publish(queue, leveled(stores, 0, 2, 2))
    assert [(level.level, level.q4) for level in queue.insides()] == [(2, 2), (1, 0), (0, 1)]
    assert (len(queue), queue.octets) == (3, 30)


async def test_marks_are_in_every_level_and_the_highest_counts(stores):
    queue = await stores.open_levels(TOP)
    queue.mark(b"p", 7)
    settle(queue)
    queue.close()
    queue = await stores.open_levels(TOP)
    assert queue.marks() == {b"p": 7}
    queue.close()


KINDS = st.lists(
    st.tuples(
        st.integers(0, 3), st.booleans(), st.sampled_from([True, True, False]), st.sampled_from([0, 0, 0, 1, 20])
    ),
    min_size=1,
    max_size=20,
)


class Histories(RuleBasedStateMachine):
    """One queue of three levels and its model, in which messages are named by their position."""

    def __init__(self):
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.stores = Stores(PowerLossDisk())
        self.queue = self.run(self.stores.open_levels(TOP))
        self.model = QueueModel()

    def teardown(self):
        self.queue.close()
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()

    def run(self, coroutine):
        return self.loop.run_until_complete(coroutine)

    @property
    def now_ms(self):
        return int(self.stores.clock.wall() * 1000)

    def named(self, runs):
        return positions(self.queue, [run.span for run in runs])

    def spans(self, some):
        return [span_of(part.start, len(part)) for part in ranges(sorted(some))]

    @rule(kinds=KINDS)
    def publish(self, kinds):
        arrivals = [
            self.stores.arrival(
                priority=priority, embedded=embedded, persistent=persistent, expiry=expiry and self.now_ms + expiry
            )
            for priority, embedded, persistent, expiry in kinds
        ]
        names = positions(self.queue, self.queue.publish(arrivals))
        assert [TOP - (name >> RANK) for name in names] == [min(kind[0], TOP) for kind in kinds]
        for name, arrival in zip(names, arrivals, strict=True):
            self.model.publish(name, [arrival])

    @rule()
    def settle(self):
        assert settle(self.queue) == len(self.model.arriving)
        self.model.settle()

    @rule(count=st.integers(1, 20), counted=st.booleans())
    def fetch(self, count, counted):
        expected = self.model.ready[:count]
        times = [self.model.messages[name].handed for name in expected]
        runs = []
        while sum(map(len, runs)) < len(expected):
            if self.queue.cold:
                self.run(self.queue.warm())
            runs += self.queue.fetch(count - sum(map(len, runs)), ALL, counted=counted)
        assert (self.named(runs), deliveries(runs)) == (expected, times)
        assert contents(runs) == [self.model.messages[name].content for name in expected]
        self.model.hand_out(expected, counted=counted)

    @precondition(lambda self: self.model.held)
    @rule(data=st.data())
    def ack(self, data):
        some = data.draw(st.sets(st.sampled_from(sorted(self.model.held)), min_size=1))
        self.queue.ack(self.spans(some))
        self.model.remove(some)

    @precondition(lambda self: self.model.held)
    @rule(data=st.data())
    def requeue(self, data):
        some = data.draw(st.sets(st.sampled_from(sorted(self.model.held)), min_size=1))
        self.queue.requeue(self.spans(some))
        self.model.requeue(some)

    @rule(count=st.integers(1, 12))
    def drop(self, count):
        expected = sorted(self.model.ready, key=lambda name: (-(name >> RANK), name))[:count]
        runs = []
        while sum(map(len, runs)) < len(expected):
            found = self.queue.drop(count - sum(map(len, runs)))
            if not found:
                self.run(self.queue.warm_victims())
            runs += found
        assert self.named(runs) == expected
        self.model.hand_out(expected, counted=False)

    @rule(ms=st.sampled_from([1, 10, 200]))
    def expire(self, ms):
        self.stores.clock.advance(ms / 1000)
        expected, now = self.model.expired(self.now_ms), self.now_ms
        runs = self.queue.expire(now)
        for _ in range(len(self.model.messages) + 1):
            if not 0 < self.queue.next_expiry() <= now:
                break
            runs += self.run(self.queue.expire_deep(now))
        assert sorted(self.named(runs)) == expected
        loaded = self.run(self.queue.contents_of(runs))
        assert {*contents(loaded)} == {self.model.messages[name].content for name in expected}
        self.model.hand_out(expected, counted=False)

    @rule()
    def purge(self):
        expected = self.model.ready
        assert self.run(self.queue.purge()) == len(expected)
        self.model.remove(expected)

    @rule(duration=st.sampled_from([0.0, 0.01, float("inf")]))
    def set_target(self, duration):
        self.queue.set_target(duration)

    @rule(position=st.tuples(st.integers(0, TOP), st.integers(0, 12)), count=st.integers(1, 10))
    def browse(self, position, count):
        start = position[0] << RANK | position[1]
        expected = [name for name in sorted(self.model.messages.keys() - self.model.arriving) if name >= start]
        found, at = [], start
        while True:
            browsed = self.run(self.queue.browse(at, count, ALL))
            found += self.named(browsed.runs)
            if not browsed.next:
                break
            assert browsed.next > at
            at = browsed.next
        assert found == expected

    @rule()
    def checkpoint(self):
        for level in self.queue._levels:
            level.checkpoint()
        self.model.written()

    @rule()
    def restart(self):
        self.queue.close()
        self.model.written()
        self.start()

    @rule()
    def crash(self):
        self.stores.disk = self.stores.disk.after_power_loss()
        self.start()

    def start(self):
        self.queue = self.run(self.stores.open_levels(TOP))
        self.model.restart()
        needed = {id for id, _ in self.queue.references()}
        assert needed == {message.id for message in self.model.messages.values() if message.stored}
        self.stores.bodies.bodies = {id: self.stores.bodies.bodies[id] for id in needed}
        self.stores.passing.bodies.clear()

    @invariant()
    def same(self):
        model, queue = self.model, self.queue
        assert (len(queue), queue.octets) == (len(model.ready), model.octets(model.ready))
        assert (queue.unacked, queue.unacked_octets) == (len(model.held), model.octets(model.held))
        head = queue.head()
        assert (self.named([head]) if head else []) == model.ready[:1]


def test_any_history_is_as_the_model_says(monkeypatch):
    shrink(monkeypatch)
    options = settings(max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Histories, settings=options)
