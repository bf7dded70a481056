import os
import random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from forebay.msgstore.index import Entry, MessageIndex, where
from forebay.msgstore.slabindex import SHARDS, SlabIndex

IDS = [bytes([n]) * 16 for n in range(40)]


@pytest.fixture
def index():
    return SlabIndex()


def test_it_is_a_message_index(index):
    typed: MessageIndex = index
    assert len(typed) == 0


def test_missing_id_is_not_found(index):
    assert index.find([IDS[0]]) == [None]


def test_inserted_entry_is_found(index):
    index.insert([Entry(IDS[1], where(3, 99), 7, 1)])
    assert index.find([IDS[0], IDS[1]]) == [None, (where(3, 99), 7)]


def test_count_adds_and_release_takes(index):
    index.insert([Entry(IDS[0], 5, 1, 1)])
    assert index.count(IDS[0], 2)
    assert index.release([IDS[0], IDS[0]]) == []
    assert index.release([IDS[0]]) == [(5, 1)]
    assert index.find([IDS[0]]) == [None]


def test_count_and_release_of_a_missing_id_do_nothing(index):
    assert not index.count(IDS[0], 1)
    assert index.release([IDS[0]]) == []


def test_move_only_from_where_it_is(index):
    index.insert([Entry(IDS[0], 5, 1, 1)])
    assert not index.move(IDS[0], 6, 7)
    assert index.move(IDS[0], 5, 7)
    assert not index.move(IDS[1], 5, 7)
    assert index.find([IDS[0]]) == [(7, 1)]


def test_delete_object_only_if_unchanged(index):
    index.insert([Entry(IDS[0], 5, 11, 3)])
    assert index.delete_object(IDS[0], 6) is None
    assert index.delete_object(IDS[0], 5) == 11
    assert index.delete_object(IDS[0], 5) is None


def test_forget_counts_keeps_entries(index):
    index.insert([Entry(IDS[0], 5, 1, 9), Entry(IDS[1], 6, 1, 9)])
    index.forget_counts()
    assert sorted(entry for page in index.pages() for entry in page) == [Entry(IDS[0], 5, 1, 0), Entry(IDS[1], 6, 1, 0)]


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


def test_coming_and_going_entries_take_no_more_room():
    index = SlabIndex()
    ids = [os.urandom(16) for _ in range(20_000)]

    def places():
        return sum(len(shard.table) for shard in index._shards)

    before = places()
    for first in range(0, 10 * len(ids), 1000):
        some = ids[first % len(ids) :][:1000]
        index.insert(Entry(id, 1, 1, 1) for id in some)
        index.release(some)
    assert len(index._refs) <= 1002
    assert places() <= 2 * before


ONE_SHARD = [id for n in range(200_000) if not hash(id := n.to_bytes(16, "big")) % SHARDS][:100]


class SlabIndexModel(RuleBasedStateMachine):
    """The index against a dictionary; all ids fall into one shard, whose small table makes every kind of collision."""

    ids = st.sampled_from(ONE_SHARD)

    def __init__(self):
        super().__init__()
        self.index = SlabIndex()
        self.model = {}

    @rule(id=ids, place=st.integers(0, 9), refs=st.integers(1, 3))
    def put(self, id, place, refs):
        if id in self.model:
            assert self.index.count(id, refs)
            self.model[id][1] += refs
        else:
            self.index.insert([Entry(id, place, 5, refs)])
            self.model[id] = [place, refs]

    @rule(ids=st.lists(ids, max_size=30))
    def release(self, ids):
        expected = []
        for id in ids:
            if id in self.model:
                self.model[id][1] -= 1
                if not self.model[id][1]:
                    expected.append((self.model.pop(id)[0], 5))
        assert self.index.release(ids) == expected

    @rule(id=ids, old=st.integers(0, 9), new=st.integers(0, 9))
    def move(self, id, old, new):
        there = id in self.model and self.model[id][0] == old
        assert self.index.move(id, old, new) == there
        if there:
            self.model[id][0] = new

    @rule(id=ids, old=st.integers(0, 9))
    def delete(self, id, old):
        there = id in self.model and self.model[id][0] == old
        assert (self.index.delete_object(id, old) == 5) == there
        if there:
            del self.model[id]

    @invariant()
    def same(self):
        entries = {entry.id: [entry.where, entry.refs] for page in self.index.pages() for entry in page}
        assert entries == self.model
        assert len(self.index) == len(self.model)


TestSlabIndexModel = SlabIndexModel.TestCase
TestSlabIndexModel.settings = settings(max_examples=30, stateful_step_count=40, deadline=None)
