"""Bulk articles for tests: the Debian changelogs of this machine, and synthetic ones of a wanted size.

The changelogs below /usr/share/doc give thousands of real texts of natural sizes. Every entry becomes one article whose
message-id depends only on its text, so two runs on one machine offer the same articles.
"""

import gzip
import itertools
import re
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path

from articles import Article

DOC_FOLDER = Path("/usr/share/doc")
MAX_BODY = 900_000

ENTRY = re.compile(
    rb"^(?P<package>[a-z0-9][a-z0-9+.-]*) \((?P<version>[^\s()]+)\) [^\n]*;[^\n]*\n"
    rb"(?P<changes>(?:(?! -- |[a-z0-9]).*\n)+)"
    rb" -- (?P<name>[^<\n]*) <(?P<address>[^>\n]*)>  ?(?:\w{3}, )?(?P<date>\d{1,2} \w{3} (?:19|20)\d\d "
    rb"\d\d:\d\d:\d\d [+-]\d{4})[ \t]*$",
    re.MULTILINE,
)
UNSAFE = re.compile(rb"[^A-Za-z0-9.+~-]")
NOT_ATEXT = re.compile(rb"[^A-Za-z0-9 .'-]")
CONTROLS = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")


def articles(count: int) -> Iterator[Article]:
    """Yield `count` articles with distinct message-ids, the same at every call.

    A machine with fewer entries gives each again as a further revision, with an id of its own; one that keeps no
    documentation at all, as slim containers do, gives synthetic articles.
    """
    made = 0
    for revision in itertools.count():
        before = made
        for article in itertools.islice(entries(revision), count - made):
            made += 1
            yield article
        if made == count:
            return
        if made == before:
            yield from synthetic(count, 1000)
            return


def entries(revision: int = 0) -> Iterator[Article]:
    """Yield one article an entry of every changelog, in a fixed order."""
    seen: set[bytes] = set()
    for path in changelogs():
        for entry in ENTRY.finditer(gzip.decompress(path.read_bytes())):
            article = article_of(entry, revision)
            if article.message_id not in seen:
                seen.add(article.message_id)
                yield article


@cache
def changelogs() -> tuple[Path, ...]:
    """Every packed changelog of a package once: shared documentation folders are links, which are left out."""
    folders = sorted(folder for folder in DOC_FOLDER.iterdir() if not folder.is_symlink())
    found = (folder / name for folder in folders for name in ("changelog.Debian.gz", "changelog.gz"))
    return tuple(path for path in found if path.is_file() and not path.is_symlink())


def article_of(entry: re.Match[bytes], revision: int = 0) -> Article:
    """Build the article of one changelog entry; its date is the entry's own."""
    package, version = entry["package"], entry["version"]
    digest = blake2b(entry[0], digest_size=8, salt=b"%d" % revision).hexdigest().encode()
    message_id = b"<%b.%b.%b@corpus.forebay.example>" % (package, UNSAFE.sub(b"_", version)[:60], digest)
    head = (
        b"Path: corpus.forebay.example!not-for-mail",
        b'From: "%b" <%b@corpus.forebay.example>' % (NOT_ATEXT.sub(b"?", entry["name"]).strip(), package),
        b"Newsgroups: " + (b"test.feed" if len(entry[0]) % 4 else b"test.feed,test.other"),
        b"Subject: %b (%b)" % (package, version),
        b"Date: " + entry["date"],
        b"Message-ID: " + message_id,
        b"MIME-Version: 1.0",
        b"Content-Type: text/plain; charset=utf-8",
        b"Content-Transfer-Encoding: 8bit",
    )
    return Article(message_id, b"\r\n".join(head) + b"\r\n\r\n" + body_of(entry["changes"]))


def body_of(text: bytes) -> bytes:
    """Clean the text of controls, cut over-long lines (RFC 5322 allows 998 octets) and end every line with CRLF."""
    lines = (
        line[start : start + 990]
        for line in CONTROLS.sub(b"", text[:MAX_BODY]).strip(b"\n").split(b"\n")
        for start in range(0, max(len(line), 1), 990)
    )
    return b"\r\n".join(lines) + b"\r\n"


def synthetic(count: int, size: int, start: int = 0) -> Iterator[Article]:
    """Yield `count` articles of exactly `size` octets each (at least 400), numbered from `start`."""
    line = b"The quick water finds its own way past every stone that was laid in its bed.\r\n"
    for number in range(start, start + count):
        message_id = b"<synthetic.%d.%d@bench.forebay.example>" % (size, number)
        head = (
            b"Path: bench.forebay.example!not-for-mail\r\nFrom: bench@forebay.example\r\nNewsgroups: test.feed\r\n"
            b"Subject: article %d of %d octets\r\nDate: Wed, 1 Jan 2025 00:00:00 +0000\r\nMessage-ID: %b\r\n\r\n"
        ) % (number, size, message_id)
        room = size - len(head)
        rest = room % len(line)
        # Padding that would leave less than a line end borrows a whole line.
        padding = rest if rest >= 2 else rest + len(line)
        body = line * ((room - padding) // len(line)) + b"x" * (padding - 2) + b"\r\n"
        yield Article(message_id, head + body)
