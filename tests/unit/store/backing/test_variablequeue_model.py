"""Any history of a queue against plain Python: whatever was done, in whatever order, both hold the same."""

import asyncio

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from backingqueues import ALL, Stores, contents, deliveries, seqs, settle
from forebay.msgstore.queuerecord import ranges
from forebay.store.backing.run import Span
from powerloss import PowerLossDisk
from unit.store.backing.queuemodel import QueueModel
from unit.store.backing.small import shrink

KINDS = st.lists(
    st.tuples(st.booleans(), st.sampled_from([True, True, True, False]), st.sampled_from([0, 0, 0, 1, 20, 300])),
    min_size=1,
    max_size=12,
)


class Histories(RuleBasedStateMachine):
    """One queue, its model, and an event loop of their own."""

    def __init__(self):
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.stores = Stores(PowerLossDisk())
        self.queue = self.run(self.stores.open())
        self.model = QueueModel()
        self.warming = None

    def teardown(self):
        self.finish_warming()
        self.queue.close()
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()

    def run(self, coroutine):
        return self.loop.run_until_complete(coroutine)

    @property
    def now_ms(self):
        return int(self.stores.clock.wall() * 1000)

    def spans(self, numbers):
        return [Span(0, part.start, len(part)) for part in ranges(sorted(numbers))]

    # In
    @rule(kinds=KINDS)
    def publish(self, kinds):
        arrivals = [
            self.stores.arrival(embedded=embedded, persistent=persistent, expiry=expiry and self.now_ms + expiry)
            for embedded, persistent, expiry in kinds
        ]
        (span,) = self.queue.publish(arrivals)
        assert span.count == len(arrivals)
        self.model.publish(span.first, arrivals)

    @rule()
    def settle(self):
        assert settle(self.queue) == len(self.model.arriving)
        self.model.settle()

    @rule(count=st.integers(15, 40))
    def flood(self, count):
        self.publish([(count % 2 == 0, count % 7 != 0, 0)] * count)
        self.settle()

    # Out
    @rule(count=st.integers(1, 20), counted=st.booleans())
    def fetch(self, count, counted):
        expected = self.model.ready[:count]
        times = [self.model.messages[seq].handed for seq in expected]
        runs = []
        while len(seqs(runs)) < len(expected):
            if self.queue.cold:
                self.run(self.queue.warm())
            runs += self.queue.fetch(count - len(seqs(runs)), ALL, counted=counted)
        assert (seqs(runs), deliveries(runs)) == (expected, times)
        assert contents(runs) == [self.model.messages[seq].content for seq in expected]
        self.model.hand_out(expected, counted=counted)

    @precondition(lambda self: self.model.held)
    @rule(data=st.data())
    def ack(self, data):
        some = data.draw(self.some_held())
        self.queue.ack(self.spans(some))
        self.model.remove(some)

    @precondition(lambda self: self.model.held)
    @rule(data=st.data())
    def requeue(self, data):
        some = data.draw(self.some_held())
        self.queue.requeue(self.spans(some))
        self.model.requeue(some)

    def some_held(self):
        held = sorted(self.model.held)
        return st.one_of(st.sets(st.sampled_from(held), min_size=1), st.integers(1, len(held)).map(lambda n: held[:n]))

    @rule(count=st.integers(1, 12))
    def drop(self, count):
        expected = self.model.ready[:count]
        runs = []
        while len(seqs(runs)) < len(expected):
            found = self.queue.drop(count - len(seqs(runs)))
            if not found:
                self.run(self.queue.warm_victims())
            runs += found
        assert seqs(runs) == expected
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
        else:
            raise AssertionError("what has expired is not found")
        assert sorted(seqs(runs)) == expected
        loaded = self.run(self.queue.contents_of(runs))
        assert {*contents(loaded)} == {self.model.messages[seq].content for seq in expected}
        self.model.hand_out(expected, counted=False)
        later = [self.model.messages[seq].expiry for seq in self.model.ready if self.model.messages[seq].expiry]
        assert not later or 0 < self.queue.next_expiry() <= min(later)

    @rule()
    def purge(self):
        expected = self.model.ready
        assert self.run(self.queue.purge()) == len(expected)
        self.model.remove(expected)

    # Memory
    @rule(duration=st.sampled_from([0, 0.2, 1, float("inf")]))
    def cut(self, duration):
        self.queue.set_target(duration)

    @rule(seconds=st.sampled_from([0.5, 5]))
    def tick(self, seconds):
        self.stores.clock.advance(seconds)
        self.queue.update_rates()

    @rule()
    def warm_meanwhile(self):
        """Other things happen while it is read."""
        self.finish_warming()
        self.warming = self.loop.create_task(self.queue.warm())
        self.run(asyncio.sleep(0))

    def finish_warming(self):
        if self.warming:
            self.run(self.warming)
            self.warming = None

    # Disk
    @rule()
    def checkpoint(self):
        self.queue.checkpoint()
        self.model.written()

    @rule()
    def restart(self):
        self.finish_warming()
        self.queue.close()
        self.model.written()
        self.start()

    @rule()
    def crash(self):
        self.finish_warming()
        self.stores.disk = self.stores.disk.after_power_loss()
        self.start()

    def start(self):
        self.queue = self.run(self.stores.open())
        self.model.restart()
        needed = {id for id, _ in self.queue.references()}
        assert needed == {message.id for message in self.model.messages.values() if message.stored}
        self.stores.bodies.bodies = {id: self.stores.bodies.bodies[id] for id in needed}
        self.stores.passing.bodies.clear()

    # Always
    @invariant()
    def same_counts(self):
        model, queue = self.model, self.queue
        assert (len(queue), queue.octets) == (len(model.ready), model.octets(model.ready))
        assert (queue.unacked, queue.unacked_octets) == (len(model.held), model.octets(model.held))

    @invariant()
    def same_head(self):
        head = self.queue.head()
        assert ([head.first, len(head)] if head else []) == [
            number for seq in self.model.ready[:1] for number in (seq, 1)
        ]

    @rule(start=st.integers(0, 30), count=st.integers(1, 10))
    def browse(self, start, count):
        expected = [seq for seq in sorted(self.model.messages.keys() - self.model.arriving) if seq >= start]
        browsed = self.run(self.queue.browse(start, count, ALL))
        assert seqs(browsed.runs) == expected[:count]
        assert contents(browsed.runs) == [self.model.messages[seq].content for seq in expected[:count]]
        assert browsed.next == (expected[count] if len(expected) > count else 0)


def test_any_history_is_as_the_model_says(monkeypatch):
    shrink(monkeypatch)
    options = settings(max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Histories, settings=options)
