"""Traits and kinds of articles."""

import base64
import binascii

import pytest

from forebay.outfeed.incoming.article import Article
from forebay.outfeed.incoming.kinds import wanted
from forebay.outfeed.incoming.traits import Traits

UUENCODED = b"begin 644 a.bin\r\n" + b"".join(
    binascii.b2a_uu(bytes(range(45))).rstrip(b"\n") + b"\r\n" for _ in range(3)
)
SHORT_UUENCODED = b"begin 644 a.bin\r\n" + binascii.b2a_uu(b"abc").rstrip(b"\n") + b"\r\n`\r\nend\r\n"
BASE64 = b"\r\n".join(base64.encodebytes(bytes(range(256)) * 2).splitlines())
YENC = b"=ybegin part=1 line=128 size=5 name=a b.bin\r\nabc\r\n=yend size=5\r\n"


def traits(headers=b"", body=b"Text.\r\n", groups=(b"a", b"b")):
    wire = b"Path: x\r\n" + headers + b"\r\n" + body + b".\r\n"
    return Traits(Article(b"<a@b>", b"k" * 16, groups, (), b"x", None, wire))


@pytest.mark.parametrize(
    ("headers", "body", "kinds"),
    [
        pytest.param(b"", b"Text.\r\n", {"text"}, id="text"),
        pytest.param(b"Control: newgroup a\r\n", b"", {"text", "control"}, id="control"),
        pytest.param(b"CONTROL: cancel <a@b>\r\n", b"", {"text", "control", "cancel"}, id="cancel"),
        pytest.param(b"", b"Control: cancel\r\n", {"text"}, id="no header but body"),
        pytest.param(b"", b"Look:\r\n" + YENC, {"binary", "yenc"}, id="yenc"),
        pytest.param(b"", b"\r\n" + UUENCODED, {"binary", "uuencode"}, id="uuencode"),
        pytest.param(b"", b"\r\n" + SHORT_UUENCODED, {"binary", "uuencode"}, id="short uuencode"),
        pytest.param(b"", b"begin 644 a\r\nis how it starts\r\n", {"text"}, id="talk of uuencode"),
        pytest.param(b"", b"=ybegin is how yenc starts\r\n", {"text"}, id="talk of yenc"),
        pytest.param(
            b"Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n",
            BASE64,
            {"binary", "base64"},
            id="base64",
        ),
        pytest.param(b"Content-Transfer-Encoding: Base64\r\n", BASE64, {"text"}, id="text in base64"),
        pytest.param(b"Content-Type: text/html\r\n", b"<p>\r\n", {"text", "html"}, id="html"),
        pytest.param(
            b"Content-Type: multipart/mixed;\r\n boundary=x\r\n",
            b"--x\r\nContent-type: Text/HTML\r\n\r\n<p>\r\n--x\r\nContent-Type: a/b\r\n\r\n" + BASE64,
            {"multipart", "html", "binary", "base64"},
            id="multipart",
        ),
        pytest.param(b"Approved: a@b\r\n", b"Text.\r\n", {"text", "approved"}, id="approved"),
        pytest.param(b"MIME-Version: 1.0\r\n", b"Text.\r\n", {"text", "mime"}, id="mime"),
        pytest.param(b"Content-Type: message/partial; number=2\r\n", b"x\r\n", {"text", "partial"}, id="partial"),
        pytest.param(
            b"",
            b"(This file must be converted with BinHex 4.0)\r\n\r\n:$f*TEQKPH#jdBQp\r\n",
            {"binary", "binhex"},
            id="binhex",
        ),
        pytest.param(b"", b"-----BEGIN PGP MESSAGE-----\r\n\r\nhQ\r\n", {"text", "pgp"}, id="pgp"),
        pytest.param(b"", b"-----BEGIN PGP SIGNED MESSAGE-----\r\n\r\nhQ\r\n", {"text"}, id="only signed"),
        pytest.param(b"", b"%!PS-Adobe-3.0\r\n", {"text", "postscript"}, id="postscript"),
        pytest.param(b"", b"x" * 70_000 + b"\r\n" + YENC, {"text"}, id="far down"),
    ],
)
def test_kinds(headers, body, kinds):
    assert traits(headers, body).kinds == kinds | {"all"}


@pytest.mark.parametrize(
    ("listed", "kinds", "passes"),
    [
        (["text"], {"text"}, True),
        (["text"], {"binary"}, False),
        (["!binary"], {"text"}, True),
        (["!binary"], {"binary", "yenc"}, False),
        (["all", "!binary"], {"binary"}, False),
        (["!binary", "yenc"], {"binary", "yenc"}, True),
        (["!binary", "yenc"], {"text"}, False),
        (["all", "!binary", "yenc"], {"text"}, True),
        (["control"], {"control", "text"}, True),
    ],
)
def test_the_last_kind_that_applies_decides(listed, kinds, passes):
    assert wanted(listed, frozenset(kinds | {"all"})) is passes


@pytest.mark.parametrize(
    ("headers", "followups", "spread"),
    [
        (b"", 2, 6),
        (b"Followup-To: c\r\n", 1, 3),
        (b"followup-to: poster\r\n", 0, 2),
        (b"Followup-To: c, d,\r\n e\r\n", 3, 11),
        (b"Followup-To: ,\r\n", 2, 6),
    ],
)
def test_followups(headers, followups, spread):
    found = traits(headers)
    assert (found.followups, found.spread) == (followups, spread)


@pytest.mark.parametrize(
    ("headers", "originator"),
    [
        (b"", b""),
        (b"Injection-Info: a.example; posting-host=b\r\n", b"a.example"),
        (b"Injection-Info:\r\n a.example\r\nX-Trace: c\r\n", b"a.example"),
        (b"X-Trace: c.example 123 d\r\n", b"c.example"),
    ],
)
def test_originator(headers, originator):
    assert traits(headers.replace(b"Injection-Info:\r\n", b"Injection-Info: \r\n")).originator == originator
