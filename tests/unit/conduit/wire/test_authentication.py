import pytest

from forebay.conduit.core.errors import SettingError
from forebay.conduit.core.wire.authentication import (
    NOT_FRESH,
    NOT_SEALED,
    OVERHEAD,
    OWN,
    REMEMBERED,
    REPEATED,
    TOO_MANY,
    UNKNOWN_KEY,
    WRONG_HASH,
    Opener,
    Sealer,
    check_key,
)

KEY, OTHER_KEY = b"k" * 32, b"o" * 32
NOW = 1_700_000_000_000_000
TOLERANCE = 30_000_000
CLOSE = bytes.fromhex("0502aaaa00")
ME = b"\xbb\xbb"


def sealer(key_id: int = 1, key: bytes = KEY, stream: bytes = b"sender-1") -> Sealer:
    return Sealer(key_id, key, stream)


def opener(limit: int = 8) -> Opener:
    return Opener({1: KEY, 2: OTHER_KEY}, ME, b"receiver", TOLERANCE, limit)


@pytest.mark.parametrize("receiver", [ME, b""], ids=["for one", "for all"])
@pytest.mark.parametrize(("key_id", "key"), [(1, KEY), (2, OTHER_KEY)], ids=["old key", "new key"])
def test_what_was_sealed_is_opened(receiver: bytes, key_id: int, key: bytes):
    sealed = sealer(key_id, key).seal(CLOSE, receiver, NOW)
    assert len(sealed) == len(CLOSE) + OVERHEAD
    assert opener().open(sealed, NOW) == CLOSE


def test_the_octets_are_as_they_are_written_down():
    sealed = sealer().seal(CLOSE, ME, NOW)
    assert sealed[:18].hex() == "3a01" + b"sender-1".hex() + f"{NOW:016x}"
    assert sealed[18:34].hex() == "28276f087e61f81ec5b0a8407c5025e3"
    assert sealed[34:] == CLOSE


@pytest.mark.parametrize(
    "octets", [b"", CLOSE, b"\x1a", b"\x1a" * (OVERHEAD - 1), bytes(60)], ids=["empty", "plain", "1", "33", "zeros"]
)
def test_a_spoofed_close_is_refused_for_want_of_a_seal(octets: bytes):
    assert opener().open(octets, NOW) == NOT_SEALED


@pytest.mark.parametrize("place", range(OVERHEAD + len(CLOSE)))
def test_no_octet_can_be_changed(place: int):
    sealed = bytearray(sealer().seal(CLOSE, ME, NOW))
    sealed[place] ^= 0x20
    assert opener().open(bytes(sealed), NOW) in (WRONG_HASH, UNKNOWN_KEY, NOT_SEALED)


@pytest.mark.parametrize("cut", [1, 5])
def test_nothing_can_be_cut_off_or_added(cut: int):
    sealed = sealer().seal(CLOSE, ME, NOW)
    assert opener().open(sealed[:-cut], NOW) == WRONG_HASH
    assert opener().open(sealed + bytes(cut), NOW) == WRONG_HASH


def test_another_key_is_refused():
    assert opener().open(sealer(1, OTHER_KEY).seal(CLOSE, ME, NOW), NOW) == WRONG_HASH
    assert opener().open(sealer(3, KEY).seal(CLOSE, ME, NOW), NOW) == UNKNOWN_KEY


def test_what_was_for_another_peer_is_refused():
    assert opener().open(sealer().seal(CLOSE, b"\xcc", NOW), NOW) == WRONG_HASH


def test_what_this_node_sent_is_refused():
    assert opener().open(sealer(stream=b"receiver").seal(CLOSE, b"", NOW), NOW) == OWN


def test_a_repetition_is_refused():
    receiving, sealed = opener(), sealer().seal(CLOSE, ME, NOW)
    assert receiving.open(sealed, NOW) == CLOSE
    assert receiving.open(sealed, NOW) == REPEATED


def test_datagrams_may_overtake_each_other():
    sending, receiving = sealer(), opener()
    sealed = [sending.seal(CLOSE, ME, NOW) for _ in range(REMEMBERED)]
    assert [receiving.open(datagram, NOW) for datagram in reversed(sealed)] == [CLOSE] * REMEMBERED
    assert {receiving.open(datagram, NOW) for datagram in sealed} == {REPEATED}


def test_one_that_comes_far_too_late_is_refused_rather_than_trusted():
    sending, receiving = sealer(), opener()
    late, *others = [sending.seal(CLOSE, ME, NOW) for _ in range(REMEMBERED + 2)]
    assert {receiving.open(datagram, NOW) for datagram in others} == {CLOSE}
    assert receiving.open(late, NOW) == REPEATED


@pytest.mark.parametrize(
    ("offset", "result"),
    [(0, CLOSE), (TOLERANCE, CLOSE), (-TOLERANCE, CLOSE), (TOLERANCE + 1, NOT_FRESH), (-TOLERANCE - 1, NOT_FRESH)],
)
def test_clocks_may_differ_by_the_tolerance(offset: int, result: object):
    assert opener().open(sealer().seal(CLOSE, ME, NOW + offset), NOW) == result


def test_an_old_record_is_refused_after_its_stream_was_forgotten():
    receiving, old = opener(limit=1), sealer().seal(CLOSE, ME, NOW)
    assert receiving.open(old, NOW) == CLOSE
    later = NOW + TOLERANCE + 1
    assert receiving.open(sealer(stream=b"sender-2").seal(CLOSE, ME, later), later) == CLOSE
    assert receiving.open(old, later) == NOT_FRESH


def test_streams_are_bounded():
    receiving = opener(limit=2)
    results = [receiving.open(sealer(stream=b"stream-%d" % n).seal(CLOSE, ME, NOW), NOW) for n in range(3)]
    assert results == [CLOSE, CLOSE, TOO_MANY]


def test_a_forged_datagram_takes_no_place_of_a_stream():
    receiving = opener(limit=1)
    assert receiving.open(sealer(1, OTHER_KEY, b"forger-1").seal(CLOSE, ME, NOW), NOW) == WRONG_HASH
    assert receiving.open(sealer().seal(CLOSE, ME, NOW), NOW) == CLOSE


def test_stamps_grow_though_the_clock_stands_or_goes_back():
    sending, receiving = sealer(), opener()
    sealed = [sending.seal(CLOSE, ME, now) for now in (NOW, NOW, NOW - 1_000_000)]
    assert [receiving.open(datagram, NOW) for datagram in sealed] == [CLOSE] * 3


@pytest.mark.parametrize("size", [16, 64])
def test_keys_of_these_sizes_are_used(size: int):
    check_key(1, bytes(size))
    sealed = sealer(1, bytes(size)).seal(CLOSE, ME, NOW)
    assert Opener({1: bytes(size)}, ME, b"receiver").open(sealed, NOW) == CLOSE


@pytest.mark.parametrize(
    ("key_id", "size", "message"),
    [
        (1, 15, "key 1 has 15 octets: take 16 to 64 random ones"),
        (1, 65, "key 1 has 65 octets: take 16 to 64 random ones"),
        (256, 32, "the id of a key is 256: take 0 to 255"),
    ],
)
def test_other_keys_are_refused_with_a_remedy(key_id: int, size: int, message: str):
    with pytest.raises(SettingError, match=message):
        check_key(key_id, bytes(size))
