"""Sizes so small that a few dozen messages go through every part of a queue."""

SIZES = {
    "forebay.msgstore.segment.ENTRIES": 32,
    "forebay.msgstore.entryreader.READ_AT_ONCE": 10,
    "forebay.msgstore.expiries.BLOCK": 8,
    "forebay.store.backing.warming.LOAD": 12,
    "forebay.store.backing.warming.LOAD_OCTETS": 200,
    "forebay.store.backing.warming.FEWEST": 3,
    "forebay.store.backing.warming.TOE": 2,
    "forebay.store.backing.warming.WINDOW": 8,
    "forebay.store.backing.paging.STEP": 10,
    "forebay.store.backing.paging.BETAS": 10,
    "forebay.store.backing.paging.TO_DELTA": 4,
    "forebay.store.backing.paging.KEEP": 2,
    "forebay.store.backing.browsing.WINDOW": 5,
    "forebay.store.backing.run.JOIN": 8,
    "forebay.store.backing.variablequeue.COOLING": 4,
}


def shrink(monkeypatch):
    for name, value in SIZES.items():
        monkeypatch.setattr(name, value)
