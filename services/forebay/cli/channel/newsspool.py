"""The spool of an INN: its articles by storage token, which its program sm knows, or by the path of a file."""

import asyncio
import re
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence
from pathlib import Path

import structlog

from forebay.cli.channel.lines import Stored
from forebay.cli.errors import ConfigurationError

SM = Path("/usr/lib/news/bin/sm")
_NO_SPOOL = ("cannot initialize storage manager", "open of ")
"""What sm says where it has no spool, or no inn.conf that tells of one; with -q it says nothing of mere articles."""
END = b"\r\n.\r\n"
_BARE_LINE_END = re.compile(rb"(?<!\r)\n")

log = structlog.stdlib.get_logger(__name__)


class NewsSpool:
    """Reads articles. Nothing is kept open."""

    def __init__(self, sm: Path = SM, folder: Path = Path()) -> None:
        """`folder` is where relative paths begin."""
        self._sm = sm
        self._folder = folder

    async def read(self, articles: Sequence[Stored]) -> list[bytes | None]:
        """The articles as RFC 5536 has them, with CRLF line ends; None for each that is not there any more.

        Raises `ConfigurationError` where sm cannot be run or finds no spool.
        """
        tokens = [article.place for article in articles if article.is_token]
        by_token = iter(await self._by_tokens(tokens) if tokens else [])
        files = iter(await asyncio.to_thread(self._files, [each.place for each in articles if not each.is_token]))
        return [next(by_token) if article.is_token else next(files) for article in articles]

    async def _by_tokens(self, tokens: Sequence[str]) -> list[bytes | None]:
        found = await self._retrieve(tokens)
        if len(found) == len(tokens):
            return [content_of(wire) for wire in found]
        # Some are gone, and the others do not tell which.
        one_by_one = [await self._retrieve([token]) for token in tokens]
        return [content_of(found[0]) if found else None for found in one_by_one]

    async def _retrieve(self, tokens: Sequence[str]) -> list[bytes]:
        """Those that are there, in wire form."""
        try:
            process = await asyncio.create_subprocess_exec(
                self._sm, "-R", "-q", *tokens, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
            )
        except OSError as error:
            raise ConfigurationError(
                f"{self._sm}: {error.strerror}", "Name INN's program sm with --sm, or have innd name files."
            ) from error
        out, said = await process.communicate()
        problem = said.decode("utf-8", "replace").strip()
        if any(text in problem for text in _NO_SPOOL):
            # Its exit status is that of articles that are not there any more.
            raise ConfigurationError(problem, "Run the channel as INN's user, with its INNCONF.")
        if problem:
            log.warning("reading the spool was not without problems", problem=problem)
        return [article + END for article in out.split(END)[:-1]]

    def _files(self, places: Sequence[str]) -> list[bytes | None]:
        return [self._file(place) for place in places]

    def _file(self, place: str) -> bytes | None:
        try:
            return content_of((self._folder / place).read_bytes())
        except OSError as error:
            log.warning("an article is not there any more", path=place, problem=error.strerror)
            return None


def content_of(data: bytes) -> bytes:
    """An article as RFC 5536 has it, of its wire form (RFC 3977 section 3.1.1) or with the line ends of Unix."""
    if b"\r\n" not in data[: data.find(b"\n") + 1]:
        return _BARE_LINE_END.sub(b"\r\n", data)
    if not data.endswith(END):
        return data
    return (b"\r\n" + data[:-3]).replace(b"\r\n..", b"\r\n.")[2:]
