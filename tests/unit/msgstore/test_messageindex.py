"""What every index of messages does, wherever it has its entries."""

import os
import random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from forebay.msgstore import DiskIndex
from forebay.msgstore.index import Entry, MessageIndex, where
from forebay.msgstore.slabindex import SHARDS, SlabIndex

IDS = [bytes([n]) * 16 for n in range(40)]


@pytest.fixture(params=["memory", "disk"])
def make(request, tmp_path_factory):
    """Makes empty indexes."""
    made = []

    def make():
        folder = tmp_path_factory.mktemp("index")
        made.append(SlabIndex() if request.param == "memory" else DiskIndex(folder / "places"))
        assert made[-1].begin(None) is None
        return made[-1]

    yield make
    for index in made:
        index.close()


@pytest.fixture
def index(make):
    return make()


def all_of(index):
    return sorted(entry for page in index.pages() for entry in page)


def test_it_is_a_message_index(index):
    typed: MessageIndex = index
    assert len(typed) == 0


def test_missing_id_is_not_found(index):
    assert index.find([IDS[0]]) == [None]


def test_inserted_entry_is_found(index):
    index.insert([Entry(IDS[1], where(3, 99), 7, 1)])
    assert index.find([IDS[0], IDS[1], IDS[1]]) == [None, (where(3, 99), 7), (where(3, 99), 7)]


def test_entries_come_from_any_iterable(index):
    index.insert(Entry(id, 5, 1, 1) for id in IDS)
    assert len(index) == len(IDS)


def test_count_adds_and_release_takes(index):
    index.insert([Entry(IDS[0], 5, 1, 1)])
    assert index.count([(IDS[0], 1), (IDS[1], 1), (IDS[0], 1)]) == [True, False, True]
    assert index.release([IDS[0], IDS[0]]) == []
    assert index.release([IDS[0]]) == [(5, 1)]
    assert index.find([IDS[0]]) == [None]
    assert len(index) == 0


def test_last_references_may_go_at_once(index):
    index.insert([Entry(IDS[0], 5, 1, 2)])
    assert index.release([IDS[0], IDS[0], IDS[0]]) == [(5, 1)]


def test_count_and_release_of_a_missing_id_do_nothing(index):
    assert index.count([(IDS[0], 1)]) == [False]
    assert index.release([IDS[0]]) == []


def test_nothing_is_done_for_nobody(index):
    index.insert([])
    assert (index.find([]), index.count([]), index.release([]), index.move([]), all_of(index)) == ([], [], [], [], [])


@pytest.mark.parametrize("gone", range(4))
def test_one_gone_from_among_its_neighbours_is_not_found(index, gone):
    entries = [Entry(id, n, 7, 1) for n, id in enumerate(IDS[:4])]
    index.insert(entries)
    assert index.release([IDS[gone]]) == [(gone, 7)]
    left = [None if n == gone else (n, 7) for n in range(4)]
    assert index.find(IDS[:4]) == left
    assert index.release(IDS[:4]) == [place for place in left if place]
    assert index.find(IDS[:4]) == [None] * 4


def test_references_of_neighbours_go_one_by_one(index):
    index.insert([Entry(IDS[0], 0, 7, 2), Entry(IDS[1], 1, 7, 3)])
    assert index.release(IDS[:2]) == []
    assert index.release(IDS[:2]) == [(0, 7)]
    assert index.release([IDS[1], IDS[0]]) == [(1, 7)]


def test_move_only_from_where_it_is(index):
    index.insert([Entry(IDS[0], 5, 1, 1)])
    assert index.move([(IDS[0], 6, 7), (IDS[0], 5, 7), (IDS[1], 5, 7)]) == [False, True, False]
    assert index.find([IDS[0]]) == [(7, 1)]
    assert index.move([(IDS[0], 7, 8), (IDS[0], 8, 9), (IDS[0], 7, 1)]) == [True, True, False]
    assert index.find([IDS[0]]) == [(9, 1)]


def test_delete_object_only_if_unchanged(index):
    index.insert([Entry(IDS[0], 5, 11, 3)])
    assert index.delete_object(IDS[0], 6) is None
    assert index.delete_object(IDS[0], 5) == 11
    assert index.delete_object(IDS[0], 5) is None
    assert len(index) == 0


def test_forget_counts_keeps_entries(index):
    index.insert([Entry(IDS[0], 5, 1, 9), Entry(IDS[1], 6, 1, 9)])
    index.forget_counts()
    assert all_of(index) == [Entry(IDS[0], 5, 1, 0), Entry(IDS[1], 6, 1, 0)]
    assert index.count([(IDS[0], 2)]) == [True]
    assert [id for page in index.unowned() for id in page] == [IDS[1]]
    assert all_of(index) == [Entry(IDS[0], 5, 1, 2), Entry(IDS[1], 6, 1, 0)]
    assert index.release([IDS[0], IDS[1]]) == [(6, 1)]


def test_entries_may_change_between_pages(index):
    ids = [n.to_bytes(16, "big") for n in range(20_000)]
    index.insert(Entry(id, 1, 1, 1) for id in ids)
    seen = []
    for page in index.pages():
        seen += [entry.id for entry in page]
        index.release([entry.id for entry in page])
    assert sorted(seen) == ids
    assert len(index) == 0


def test_many_entries_survive_growth_and_deletion(index):
    ids = [os.urandom(16) for _ in range(30_000)]
    index.insert(Entry(id, n, n % 1000, 1) for n, id in enumerate(ids))
    order = random.Random(1).sample(range(len(ids)), len(ids))
    gone, kept = order[:20_000], order[20_000:]
    assert len(index.release([ids[n] for n in gone])) == len(gone)
    assert index.find([ids[n] for n in kept]) == [(n, n % 1000) for n in kept]
    assert index.find([ids[n] for n in gone]) == [None] * len(gone)
    index.insert(Entry(ids[n], n, 1, 1) for n in gone)
    assert len(index) == len(ids)


ONE_SHARD = [id for n in range(200_000) if not hash(id := n.to_bytes(16, "big")) % SHARDS][:100]
"""They collide in every way in the small table of one part of the index in memory."""

RUNS = st.builds(lambda first, count: ONE_SHARD[first : first + count], st.integers(0, 90), st.integers(2, 10))
"""Neighbours, which an index may have one after the other."""

COUNTS = st.lists(st.tuples(st.sampled_from(ONE_SHARD), st.integers(0, 9), st.integers(1, 3)), max_size=10)


class Histories(RuleBasedStateMachine):
    """An index against a dictionary."""

    ids = st.sampled_from(ONE_SHARD)

    def __init__(self, index):
        super().__init__()
        self.index = index
        self.model = {}

    @rule(entries=COUNTS)
    def put(self, entries):
        known = [(id, refs) for id, _, refs in entries if id in self.model]
        assert self.index.count(known) == [True] * len(known)
        for id, refs in known:
            self.model[id][1] += refs
        fresh = {id: [place, refs] for id, place, refs in entries if id not in self.model}
        self.index.insert([Entry(id, place, 5, refs) for id, (place, refs) in fresh.items()])
        self.model |= fresh

    @rule(ids=RUNS, refs=st.integers(1, 2))
    def put_run(self, ids, refs):
        self.put([(id, 0, refs) for id in ids])

    @rule(ids=st.lists(ids, max_size=30) | RUNS)
    def release(self, ids):
        expected = []
        for id in ids:
            if id in self.model:
                self.model[id][1] -= 1
                if self.model[id][1] <= 0:
                    expected.append((self.model.pop(id)[0], 5))
        assert self.index.release(ids) == expected

    @rule(ids=st.lists(ids, max_size=30) | RUNS)
    def find(self, ids):
        expected = [(self.model[id][0], 5) if id in self.model else None for id in ids]
        assert self.index.find(ids) == expected

    @rule(moves=st.lists(st.tuples(ids, st.integers(0, 9), st.integers(0, 9)), max_size=8))
    def move(self, moves):
        expected = []
        for id, old, new in moves:
            expected.append(id in self.model and self.model[id][0] == old)
            if expected[-1]:
                self.model[id][0] = new
        assert self.index.move(moves) == expected

    @rule(id=ids, old=st.integers(0, 9))
    def delete(self, id, old):
        there = id in self.model and self.model[id][0] == old
        assert (self.index.delete_object(id, old) == 5) == there
        if there:
            del self.model[id]

    @rule()
    def forget_counts(self):
        self.index.forget_counts()
        for entry in self.model.values():
            entry[1] = 0

    @invariant()
    def same(self):
        entries = {entry.id: [entry.where, entry.refs] for page in self.index.pages() for entry in page}
        assert entries == self.model
        assert len(self.index) == len(self.model)


def test_any_history_is_as_a_dictionary_says(make):
    options = settings(max_examples=30, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(lambda: Histories(make()), settings=options)
