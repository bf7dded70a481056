"""Random contents of spills."""

from hypothesis import strategies as st

from forebay.spill.keys import Kind
from spillcontents import Contents, Segment, token

EPOCH = 1_700_000_000_000
ARTICLES = 12
TIMES = 30
"""Milliseconds over which everything happens, so that limits fall among it."""


@st.composite
def entries(draw: st.DrawFn) -> bytes:
    """One entry: an article that may have come several times, at another place in the log each time; or rubbish."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=22))
    seq = draw(st.integers(1, 3 * ARTICLES))
    arrival = EPOCH + seq * 7 % TIMES
    return token(seq % ARTICLES, seq=seq, arrival=arrival, tries=draw(st.integers(0, 3)))


@st.composite
def segments(draw: st.DrawFn, least: int = 0, most: int = 40) -> list[Segment]:
    """Closed segments of one kind; the ids of all their entries rise."""
    found: list[list[tuple[bytes, bytes]]] = []
    at = EPOCH + draw(st.integers(0, TIMES))
    for number, data in enumerate(draw(st.lists(entries(), min_size=least, max_size=most))):
        at += draw(st.integers(0, 2))
        if not found or draw(st.integers(0, 4)) == 0:
            found.append([])
        found[-1].append((b"%d-%d" % (at, number), data))
    return found


def contents(least: int = 0) -> st.SearchStrategy[Contents]:
    """What an owner has, so many entries of each kind at least."""
    return st.fixed_dictionaries({Kind.BACKLOG: segments(least), Kind.DEFERRED: segments(least)})
