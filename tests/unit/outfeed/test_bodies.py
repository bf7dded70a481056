"""Bodies come from memory while they are new, else from the message store, at once or later."""

import pytest

from forebay.msgstore import COLD, Put
from forebay.outfeed import bodies as module
from forebay.outfeed.bodies import Bodies
from messagestores import opened
from powerloss import PowerLossDisk
from recordingfeed import tokens

TOKENS = tokens(4)


def body(token):
    return b"body of " + token.message_id


class Store:
    """A store of which some bodies are not in the page cache."""

    def __init__(self, cold=(), gone=()):
        self.cold = [token.key for token in cold]
        self.gone = [token.key for token in gone]
        self.reads = []
        self.fetches = []

    def read(self, keys):
        self.reads.append(keys)
        return [COLD if key in self.cold else self._body(key) for key in keys]

    async def fetch(self, keys):
        self.fetches.append(keys)
        return [self._body(key) for key in keys]

    def _body(self, key):
        return None if key in self.gone else next(body(token) for token in TOKENS if token.key == key)


def keep(bodies, *some):
    bodies.keep((token.key, body(token)) for token in some)


async def test_new_bodies_are_not_read():
    store = Store()
    bodies = Bodies(store)
    keep(bodies, *TOKENS)
    assert bodies.load(TOKENS, None) == [body(token) for token in TOKENS]
    assert not store.reads


async def test_others_are_read_from_the_store_in_one_go_and_in_order():
    store = Store()
    bodies = Bodies(store)
    keep(bodies, TOKENS[1])
    assert bodies.load(TOKENS, None) == [body(token) for token in TOKENS]
    assert store.reads == [[TOKENS[0].key, TOKENS[2].key, TOKENS[3].key]]


async def test_a_body_that_is_gone_is_none():
    bodies = Bodies(Store(gone=TOKENS[:1]))
    assert bodies.load(TOKENS[:2], None) == [None, body(TOKENS[1])]


async def test_bodies_that_are_not_in_memory_come_later_all_together():
    store = Store(cold=TOKENS[2:3], gone=TOKENS[3:])
    bodies = Bodies(store)
    keep(bodies, TOKENS[0])
    came = []
    assert bodies.load(TOKENS, came.append) is None
    assert not came
    await bodies.close()
    assert came == [[*[body(token) for token in TOKENS[:3]], None]]


async def test_closing_waits_for_all_that_is_being_read():
    bodies = Bodies(Store(cold=TOKENS))
    came = []
    for token in TOKENS:
        bodies.load([token], came.append)
    await bodies.close()
    assert came == [[body(token)] for token in TOKENS]


async def test_the_oldest_bodies_make_room_for_new_ones(monkeypatch):
    monkeypatch.setattr(module, "RECENT_BYTES", 2 * len(body(TOKENS[0])))
    store = Store()
    bodies = Bodies(store)
    for token in TOKENS:
        keep(bodies, token)
    bodies.load(TOKENS, None)
    assert store.reads == [[token.key for token in TOKENS[:2]]]


async def test_a_body_larger_than_all_room_is_not_kept(monkeypatch):
    monkeypatch.setattr(module, "RECENT_BYTES", 3)
    store = Store()
    bodies = Bodies(store)
    keep(bodies, *TOKENS)
    bodies.load(TOKENS, None)
    assert len(store.reads[0]) == 4


async def test_a_body_that_comes_again_takes_no_more_room(monkeypatch):
    monkeypatch.setattr(module, "RECENT_BYTES", 3 * len(body(TOKENS[0])))
    store = Store()
    bodies = Bodies(store)
    for _ in range(10):
        keep(bodies, TOKENS[0])
    keep(bodies, *TOKENS[1:3])
    bodies.load(TOKENS[:3], None)
    assert not store.reads


@pytest.mark.parametrize("transient", [False, True])
async def test_it_reads_what_a_message_store_has(transient):
    with opened(PowerLossDisk(), transient=transient) as store:
        await store.put([Put(token.key, (body(token),), 1) for token in TOKENS[:2]])
        loaded = Bodies(store).load(TOKENS[:3], None)
        assert [found and bytes(found) for found in loaded] == [body(TOKENS[0]), body(TOKENS[1]), None]
