from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forebay.outfeed.token import decode
from forebay_spark.compaction import Compacted, Rules, compact
from forebay_spark.times import times_of
from spillcontents import token
from spilloracle import expected
from spillstrategies import EPOCH, TIMES, segments

OLDEST = st.none() | st.integers(EPOCH, EPOCH + TIMES)
BYTES = st.none() | st.integers(1, 2000)
KEEP_ALL = Rules()


def compacted(entries: Sequence[tuple[bytes, bytes]], rules: Rules = KEEP_ALL) -> Compacted:
    return compact([data for _, data in entries], times_of([entry_id for entry_id, _ in entries]), rules)


def at(*entries: bytes) -> list[tuple[bytes, bytes]]:
    return [(b"%d-0" % (EPOCH + number), data) for number, data in enumerate(entries)]


@settings(deadline=None)
@given(segments(), OLDEST, BYTES)
def test_yields_what_plain_python_yields(found: list[list[tuple[bytes, bytes]]], oldest: int, most: int) -> None:
    entries = [entry for segment in found for entry in segment]
    result, wanted = compacted(entries, Rules(oldest, most)), expected(entries, oldest, most)
    assert result.entries == wanted.entries
    assert Counter(result.dropped) == wanted.dropped
    assert result.corrupt == wanted.corrupt
    released = [decode(data).seq for group in result.released.values() for data in group]
    assert sorted(released) == sorted(wanted.released)


@settings(deadline=None)
@given(segments())
def test_times_of_what_stays_are_those_of_its_first_append(found: list[list[tuple[bytes, bytes]]]) -> None:
    entries = [entry for segment in found for entry in segment]
    first: dict[bytes, int] = {}
    for entry_id, data in entries:
        first.setdefault(data[22:] or data, int(entry_id.split(b"-")[0]))
    result = compacted(entries)
    pairs = zip(result.entries, result.appended.tolist(), strict=True)
    assert all(first[data[22:]] == time for data, time in pairs if len(data) > 22)


def test_nothing_yields_nothing() -> None:
    result = compacted([])
    assert result.entries == []
    assert not result.changed


def test_the_earliest_of_repeats_stays_with_the_most_tries() -> None:
    late, early = token("a", seq=2, arrival=EPOCH + 5, tries=3), token("a", seq=1, arrival=EPOCH)
    assert compacted(at(late, early)).entries == [token("a", seq=1, arrival=EPOCH, tries=3)]


def test_a_repeat_of_the_very_same_article_is_not_released() -> None:
    twice = token("a", seq=1, arrival=EPOCH)
    result = compacted(at(twice, twice))
    assert result.dropped["duplicate"] == 1
    assert result.released["duplicate"] == []


def test_an_article_dropped_twice_is_released_once() -> None:
    old = token("a", seq=1, arrival=EPOCH)
    result = compacted(at(old, old), Rules(oldest=EPOCH + 1))
    assert result.dropped["limit-age"] == 2
    assert result.released["limit-age"] == [old]


def test_what_is_no_token_stays_where_its_time_puts_it() -> None:
    before, after = token("a", seq=1, arrival=EPOCH), token("b", seq=2, arrival=EPOCH + 9)
    result = compacted(at(after, b"rubbish", before), Rules(max_bytes=1))
    assert (result.entries, result.corrupt) == ([b"rubbish"], 1)
    assert compacted(at(after, b"rubbish", before)).entries == [before, b"rubbish", after]


def test_bytes_over_the_limit_go_oldest_first() -> None:
    entries = [token(name, seq=number, arrival=EPOCH + number) for number, name in enumerate("abc")]
    result = compacted(at(*entries), Rules(max_bytes=2 * len(entries[0])))
    assert result.entries == entries[1:]
    assert result.released["limit-bytes"] == entries[:1]


@pytest.mark.parametrize(
    "limit", [KEEP_ALL, Rules(oldest=EPOCH), Rules(max_bytes=10_000)], ids=["none", "age", "bytes"]
)
def test_what_needs_no_compaction_is_told(limit: Rules) -> None:
    entries = [token(number, seq=number, arrival=EPOCH + number) for number in range(5)]
    assert not compacted(at(*entries), limit).changed


def test_another_order_is_a_change() -> None:
    entries = [token(number, seq=number, arrival=EPOCH + number) for number in (1, 0)]
    assert compacted(at(*entries)).changed


def test_more_tries_are_a_change_even_where_the_repeat_was_the_last() -> None:
    entries = [token("a", seq=1, arrival=EPOCH), token("a", seq=1, arrival=EPOCH, tries=1)]
    assert compacted(at(*entries)).entries == entries[1:]


def test_times_and_places_beyond_all_sense_are_the_latest() -> None:
    odd = token("a", seq=2**64 - 1, arrival=2**64 - 1)
    sane = token("b", seq=1, arrival=EPOCH)
    assert compacted(at(odd, sane), Rules(oldest=EPOCH)).entries == [sane, odd]
