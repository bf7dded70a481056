import pytest

from forebay.conduit.core.wire.fragments import Lost, Reassembler, cut, marker_size
from forebay.conduit.core.wire.messages import Data, WriteData
from forebay.conduit.core.wire.ownmessages import Fragment
from forebay.conduit.core.wire.vle import vle

PAYLOAD = bytes(range(250))
BITS = 14
MASK = (1 << BITS) - 1


class Channel:
    """A reassembler, and what it told."""

    def __init__(self, limit: int = 1000) -> None:
        self.lost: list[Lost] = []
        self.reassembler = Reassembler(limit, BITS, self.lost.append)

    def add(self, fragments: list[Fragment]) -> list[Data | WriteData]:
        return [sample for fragment in fragments if (sample := self.reassembler.add(fragment)) is not None]


def fragments(base: int, payload: bytes = PAYLOAD, room: int = 100) -> list[Fragment]:
    pieces = cut(payload, room)
    return [
        Fragment(base, len(pieces), Data(0, True, False, (base + place) & MASK, 1, None, piece))
        for place, piece in enumerate(pieces)
    ]


@pytest.mark.parametrize("room", [1, 99, 100, 125, 249])
def test_a_sample_is_put_together(room: int):
    channel = Channel()
    (sample,) = channel.add(fragments(5, room=room))
    assert sample == Data(0, True, False, 5 + (249 // room), 1, None, PAYLOAD)
    assert channel.lost == []


def test_all_pieces_but_the_last_are_of_one_size():
    assert [len(piece) for piece in cut(PAYLOAD, 100)] == [100, 100, 50]


def test_a_sample_named_by_its_uri_is_put_together():
    pieces = [Fragment(0, 2, WriteData(0, True, False, place, "/a", b"xy")) for place in range(2)]
    assert Channel().add(pieces) == [WriteData(0, True, False, 1, "/a", b"xyxy")]


def test_numbers_wrap_within_a_sample():
    (sample,) = Channel().add(fragments(MASK - 1))
    assert (sample.number, sample.payload) == (0, PAYLOAD)


def test_samples_follow_each_other():
    assert [sample.number for sample in Channel().add(fragments(5) + fragments(8))] == [7, 10]


@pytest.mark.parametrize("missing", [0, 1, 2], ids=["first", "middle", "last"])
def test_without_one_piece_nothing_arrives_and_the_loss_is_told_once(missing: int):
    channel, pieces = Channel(), fragments(5)
    del pieces[missing]
    assert [sample.number for sample in channel.add(pieces + fragments(8))] == [10]
    assert [(lost.base, lost.pieces, lost.received) for lost in channel.lost] == [(5, 3, missing)]


def test_two_losses_in_turn_are_two():
    channel = Channel()
    assert channel.add(fragments(5)[:2] + fragments(8)[1:] + fragments(11)[1:2]) == []
    assert [lost.base for lost in channel.lost] == [5, 8, 11]


def test_something_else_on_the_channel_interrupts():
    channel = Channel()
    channel.add(fragments(5)[:2])
    channel.reassembler.interrupted()
    assert channel.lost == [Lost(5, 3, 2, "its other pieces did not come")]
    channel.reassembler.interrupted()
    assert channel.add(fragments(5)[2:]) == []
    assert len(channel.lost) == 1


def test_the_same_base_may_come_again():
    channel = Channel()
    channel.add(fragments(5)[:1])
    channel.reassembler.interrupted()
    assert len(channel.add(fragments(5))) == 1


def test_a_sample_beyond_the_limit_is_given_up_at_its_first_piece():
    channel = Channel(limit=200)
    assert channel.add(fragments(5)) == []
    assert channel.lost == [Lost(5, 3, 0, "it is larger than the 200 octets that this node takes")]


def test_a_sample_of_the_limit_passes():
    assert len(Channel(limit=250).add(fragments(5))) == 1


def test_empty_pieces_do_not_add_up():
    channel = Channel(limit=200)
    many = [Fragment(0, 9000, Data(0, True, False, place, 1, None, b"")) for place in range(9000)]
    assert [sample.payload for sample in channel.add(many)] == [b""]


@pytest.mark.parametrize("pieces", [0, 1, MASK + 1])
def test_a_count_that_cannot_be_is_told(pieces: int):
    channel = Channel()
    assert channel.add([Fragment(5, pieces, Data(0, True, False, 5, 1, None, b"x"))]) == []
    assert channel.lost == [Lost(5, pieces, 0, f"it is told to have {pieces} pieces")]


@pytest.mark.parametrize(("size", "pieces"), [(101, 3), (99, 3), (100, 4)], ids=["larger", "smaller", "another count"])
def test_a_piece_that_does_not_fit_is_told(size: int, pieces: int):
    channel = Channel()
    wrong = Fragment(5, pieces, Data(0, True, False, 6, 1, None, bytes(size)))
    assert channel.add([fragments(5)[0], wrong]) == []
    assert channel.lost == [Lost(5, 3, 1, "piece 1 does not fit to the first one")]


@pytest.mark.parametrize("base", [0, 127, 128, 16383])
def test_the_size_of_the_marker_is_known(base: int):
    assert marker_size(base, 300) == 1 + len(vle(base)) + 2
