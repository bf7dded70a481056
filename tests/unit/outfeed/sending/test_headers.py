"""Articles without their bodies."""

import pytest

from forebay.outfeed.sending.headers import without_body


@pytest.mark.parametrize(
    ("wire", "alone"),
    [
        (b"A: b\r\n\r\ntext\r\n.\r\n", b"A: b\r\nBytes: 17\r\n\r\n.\r\n"),
        (b"A: b\r\nBYTES: 9\r\n\r\ntext\r\n.\r\n", b"A: b\r\nBYTES: 9\r\n\r\n.\r\n"),
        (b"Bytes: 9\r\n\r\n.\r\n", b"Bytes: 9\r\n\r\n.\r\n"),
        (b"A: b\r\n\r\nBytes: 5\r\n\r\nx\r\n.\r\n", b"A: b\r\nBytes: 26\r\n\r\n.\r\n"),
    ],
)
def test_the_header_alone(wire, alone):
    assert without_body(wire) == alone
    assert without_body(memoryview(wire)) == alone
