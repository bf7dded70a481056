from math import inf

import pytest

from forebay.conduit.core.conduits.packer import Packer, asking, pack
from forebay.conduit.core.wire import header
from forebay.conduit.core.wire.decoder import decode
from forebay.conduit.core.wire.encoder import encode
from forebay.conduit.core.wire.messages import Data
from forebay.conduit.core.wire.ownmessages import Fragment
from forebay.conduit.core.wire.samples import encode_samples

BUDGET = 0.01


def samples(count, *, reliable=True, size=4):
    return encode_samples([bytes((number,)) for number in range(count)], 1, [b"x" * size] * count, reliable=reliable)


def packer(*, marker=b"", mtu=50, budget=BUDGET, ask_every=10_000):
    return Packer(marker, mtu, budget, ask_every)


def contents(datagram):
    messages, malformed = decode(datagram, 14)
    assert malformed is None
    return [(message.conduit, message.number, message.s) for message in messages]


def test_samples_share_a_datagram():
    box = packer()
    box.add_reliable(samples(3), 1.0)
    assert box.full == []
    box.close()
    assert contents(box.full[0]) == [(0, 0, False), (0, 1, False), (0, 2, False)]


def test_the_first_one_says_how_long_a_datagram_waits():
    box = packer()
    assert box.due == inf
    box.add_reliable(samples(1), 1.0)
    box.add_reliable(samples(1), 1.005)
    assert box.due == 1.0 + BUDGET
    box.close()
    assert box.due == inf


def test_without_a_budget_nothing_waits():
    box = packer(budget=0.0)
    box.add_reliable(samples(3), 1.0)
    assert len(box.full) == 1
    assert box.empty is False


def test_with_an_endless_budget_only_a_flush_or_its_size_sends_it():
    box = packer(budget=inf)
    box.add_reliable(samples(3), 1.0)
    assert box.due == inf
    assert box.full == []
    box.add_reliable(samples(5), 1.0)
    assert len(box.full) == 1


def test_a_datagram_is_as_large_as_the_mtu_allows():
    box = packer(mtu=24)
    box.add_reliable(samples(7), 1.0)
    box.close()
    assert [len(contents(datagram)) for datagram in box.full] == [3, 3, 1]
    assert max(map(len, box.full)) == 24


def test_every_datagram_begins_with_the_marker_of_its_conduit():
    box = packer(marker=b"\xb3", mtu=24)
    box.add_reliable(samples(5), 1.0)
    box.close()
    assert [[conduit for conduit, _, _ in contents(datagram)] for datagram in box.full] == [[2, 2], [2, 2], [2]]


def test_an_acknowledgement_is_asked_for_now_and_then():
    box = packer(mtu=24, ask_every=48)
    box.add_reliable(samples(12), 1.0)
    box.close()
    asks = [[asked for _, _, asked in contents(datagram)] for datagram in box.full]
    assert asks == [[False] * 3, [False, False, True], [False] * 3, [False, False, True]]


def test_no_unreliable_sample_asks():
    box = packer(mtu=24, ask_every=1)
    box.add(samples(3, reliable=False), 1.0)
    box.close()
    assert [asked for _, _, asked in contents(box.full[0])] == [False] * 3


def test_a_datagram_that_ends_with_an_unreliable_sample_leaves_the_question_to_the_next():
    box = packer(mtu=64, ask_every=1)
    box.add_reliable(samples(1), 1.0)
    box.add(samples(1, reliable=False), 1.0)
    box.close()
    box.add_reliable(samples(1), 1.0)
    box.close()
    assert [[asked for _, _, asked in contents(datagram)] for datagram in box.full] == [[False, False], [True]]


def test_reliable_samples_that_wait_are_counted():
    box = packer(mtu=24)
    box.add_reliable(samples(4), 1.0)
    assert box.unsent == 1
    box.add(samples(1, reliable=False), 1.0)
    assert box.unsent == 1
    box.close()
    assert box.unsent == 0


def test_closing_nothing_sends_nothing():
    box = packer()
    box.close()
    assert box.empty


def test_what_is_packed_at_once_is_cut_by_the_mtu():
    assert [len(datagram) for datagram in pack(b"\xb3", samples(5), 24)] == [17, 17, 9]
    assert pack(b"\xb3", [], 24) == []


def test_a_message_without_that_bit_does_not_ask():
    message = bytes((header.MIGRATE, 1, 2))
    assert asking(message) == message


@pytest.mark.parametrize("base", [5, 300, 1 << 27], ids=str)
def test_a_piece_asks_behind_its_marker(base):
    out = bytearray()
    encode(out, Fragment(base, 200, Data(0, True, False, base, 1, None, b"x")))
    (message,), malformed = decode(asking(bytes(out)), 28)
    assert malformed is None
    assert message == Fragment(base, 200, Data(0, True, True, base, 1, None, b"x"))
