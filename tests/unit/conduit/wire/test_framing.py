import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.conduit.core.wire.framing import MAX_FRAME, FrameBuffer, frame

DATAGRAMS = st.lists(st.one_of(st.binary(min_size=1, max_size=10), st.just(bytes(200))), max_size=5)


@given(DATAGRAMS, st.integers(1, 50))
def test_datagrams_are_found_however_the_stream_is_cut(datagrams: list[bytes], step: int):
    stream, buffer = b"".join(map(frame, datagrams)), FrameBuffer()
    found = [datagram for at in range(0, len(stream), step) for datagram in buffer.feed(stream[at : at + step])]
    assert (found, buffer.end()) == (datagrams, None)


@pytest.mark.parametrize("size", [1, 127, 128, 16383, 16384, MAX_FRAME])
def test_a_datagram_goes_behind_its_length(size: int):
    assert FrameBuffer().feed(frame(bytes(size))) == [bytes(size)]


@pytest.mark.parametrize(
    "octets",
    [
        pytest.param(b"\x00", id="no length"),
        pytest.param(b"\x80\x80\x04", id="above the limit"),
        pytest.param(b"\x80\x80\x80\x01", id="far above the limit"),
        pytest.param(b"\x81\x00x", id="padded"),
    ],
)
def test_a_wrong_length_ends_the_stream(octets: bytes):
    buffer = FrameBuffer()
    assert buffer.feed(frame(b"good") + octets) == [b"good"]
    assert buffer.fault == (5, "a length of a datagram in the stream is not 1 to 65535")
    assert buffer.feed(frame(b"late")) == []
    assert buffer.end() == buffer.fault


@pytest.mark.parametrize("cut", [1, 3], ids=["within the length", "within the datagram"])
def test_short_input_is_told(cut: int):
    buffer = FrameBuffer()
    buffer.feed(frame(b"good") + frame(bytes(200))[:cut])
    assert buffer.end() == (5, f"the stream ends after {cut} octets of a datagram")


def test_a_buffer_may_have_a_lower_limit():
    buffer = FrameBuffer(limit=10)
    assert buffer.feed(frame(bytes(10)) + frame(bytes(11))) == [bytes(10)]
    assert buffer.fault is not None
