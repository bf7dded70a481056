"""Any sequence of puts, removes, collections, restarts and power losses, against a dictionary."""

import asyncio
import random

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from forebay.msgstore import MessageStore
from messagestores import SMALL, abandon, body, ids, message_id, put
from powerloss import PowerLossDisk

NUMBERS = st.lists(st.integers(0, 60), min_size=1, max_size=25)


class StoreModel(RuleBasedStateMachine):
    @initialize()
    def open(self):
        self.loop = asyncio.new_event_loop()
        self.disk = PowerLossDisk()
        self.store = MessageStore.open(self.disk, SMALL)
        self.refs = {}

    def teardown(self):
        self.store.close()
        self.loop.close()

    @rule(numbers=NUMBERS, refs=st.integers(1, 3))
    def put(self, numbers, refs):
        self.loop.run_until_complete(self.store.put([put(n, refs=refs) for n in numbers]))
        for n in numbers:
            self.refs[n] = self.refs.get(n, 0) + refs

    @rule(numbers=NUMBERS)
    def remove(self, numbers):
        self.store.remove(ids(numbers))
        for n in numbers:
            if n in self.refs:
                self.refs[n] -= 1
                if not self.refs[n]:
                    del self.refs[n]

    @rule(flying=NUMBERS, removed=NUMBERS)
    def remove_while_flying(self, flying, removed):
        async def race():
            task = asyncio.create_task(self.store.put([put(n) for n in flying]))
            await asyncio.sleep(0)
            self.remove(removed)
            await task

        for n in flying:
            self.refs[n] = self.refs.get(n, 0) + 1
        self.loop.run_until_complete(race())

    @rule()
    def collect(self):
        self.store._collector.collect()

    @rule()
    def restart(self):
        self.store.close()
        self.store = MessageStore.open(self.disk, SMALL)
        assert self.store.report.clean or not self.store.report.files

    @rule(seed=st.integers(0, 1000))
    def lose_power(self, seed):
        after = self.disk.after_power_loss(random.Random(seed) if seed % 2 else None)
        abandon(self.store)
        self.disk = after
        self.store = MessageStore.open(after, SMALL)
        assert self.store.recount((message_id(n), refs) for n, refs in self.refs.items()) == []

    @invariant()
    def all_is_there(self):
        numbers = list(range(61))
        expected = [body(n) if n in self.refs else None for n in numbers]
        assert self.store.read(ids(numbers)) == expected
        assert self.store.stats.messages == len(self.refs)
        assert self.store.stats.live_bytes == len(self.refs) * 244


def test_any_history_is_as_a_dictionary_says():
    options = settings(max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(StoreModel, settings=options)
