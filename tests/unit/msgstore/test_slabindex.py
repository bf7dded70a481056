"""What the index in memory takes of it."""

import os

from forebay.msgstore.index import Entry
from forebay.msgstore.slabindex import SlabIndex


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


def test_what_is_stored_together_lies_together_in_used_slots_too():
    index = SlabIndex()
    earlier, later = ([os.urandom(16) for _ in range(100)] for _ in range(2))
    index.insert(Entry(id, 1, 1, 1) for id in earlier)
    index.release(earlier)
    index.insert(Entry(id, 1, 1, 1) for id in later)
    assert len(index._refs) == 102
    assert index._run(later) == slice(2, 102)
    assert index._run(later[50:]) == slice(52, 102)
    assert index._run([later[1], later[0]]) is None


def test_it_is_written_and_read_again_in_its_order():
    index = SlabIndex()
    ids = [os.urandom(16) for _ in range(3000)]
    index.insert(Entry(id, 1, 1, 1) for id in ids)
    index.release(ids[:7])
    again = SlabIndex()
    for page in index.pages():
        again.insert(page)
    assert again._run(ids[7:]) == slice(2, 2995)
