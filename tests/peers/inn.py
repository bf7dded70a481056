"""A real INN (Debian's inn2) as the receiving peer of a test, through the script that builds and runs its tree."""

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from peers.process import run

NEWS_BIN = Path(os.environ.get("INN_BIN", "/usr/lib/news/bin"))
LOG_LINE = re.compile(r"(?P<time>\w{3} +\d+ [\d:.]+) (?P<sign>\S) (?P<sender>\S+) (?P<id><\S+>) ?(?P<detail>.*)")
MESSAGE_ID = re.compile(rb"^Message-ID:[ \t]*(?:\r\n[ \t]+)?(<[^\r\n]+>)", re.IGNORECASE | re.MULTILINE)
STAT_BATCH = 500


class Logged(NamedTuple):
    """A line of innd's log: `sign` is `+` accepted, `-` rejected, `j` accepted into junk, `c` cancelled."""

    seconds: float
    """Time of the line, in seconds; of use for differences only."""
    sign: str
    message_id: bytes
    detail: str


class InnPeer:
    """One innd on 127.0.0.1:`port`, its files below `folder`, a short path that the user news can walk into."""

    def __init__(self, script: Path, folder: Path, port: int) -> None:
        self.script = script
        self.folder = folder
        self.port = port
        self.logged: list[Logged] = []

    async def start(self) -> None:
        """Start innd; articles of an earlier start are kept."""
        await self.call("start", self.folder, self.port)

    async def stop(self) -> None:
        """Shut innd down and wait for its end; nothing happens when it is not running."""
        await self.call("stop", self.folder)

    def kill(self) -> None:
        """End innd at once, as a machine that goes away; a start afterwards finds what it had stored."""
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            os.kill(int((self.folder / "pid").read_text()), signal.SIGKILL)
        # innd does not start while the file of an earlier one is there; INN's own start script removes it.
        (self.folder / "run/innd.pid").unlink(missing_ok=True)

    async def pause(self) -> None:
        """Have CHECK answered 431."""
        await self.call("pause", self.folder)

    async def throttle(self) -> None:
        """Have new connections greeted with 400."""
        await self.call("throttle", self.folder)

    async def go(self) -> None:
        """Undo pause and throttle."""
        await self.call("go", self.folder)

    async def has(self, message_ids: Iterable[bytes]) -> set[bytes]:
        """Which of the message-ids innd has stored; asked in bulk with STAT, so not while innd is throttled."""
        ids = list(message_ids)
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            greeting = await reader.readline()
            assert greeting.startswith(b"200"), greeting
            stored = [await stat(reader, writer, ids[at : at + STAT_BATCH]) for at in range(0, len(ids), STAT_BATCH)]
            return set().union(*stored)
        finally:
            writer.close()
            await writer.wait_closed()

    def stored(self) -> dict[bytes, bytes]:
        """Every stored article in wire form (RFC 3977, section 3.1.1) by message-id, read from the spool."""
        files = {path.stat().st_ino: path for path in (self.folder / "spool/articles").rglob("*") if path.is_file()}
        bodies = (path.read_bytes() for path in files.values())
        return {found[1]: wire for wire in bodies if (found := MESSAGE_ID.search(wire))}

    async def log(self) -> list[Logged]:
        """All log lines about articles since the first start."""
        # The script gives each line once, as innd's log is rotated by the call.
        text = await self.call("log", self.folder)
        self.logged += [logged(found) for found in map(LOG_LINE.match, text.splitlines()) if found]
        return self.logged

    def configure(self, *, streaming: bool = True, password: str | None = None) -> None:
        """Rewrite incoming.conf, which the next start reads: without streaming only IHAVE works; with a password
        every command is answered 480 until AUTHINFO (any user name).
        """
        secret = f' password: "{password}"' if password else ""
        (self.folder / "etc/incoming.conf").write_text(
            f"streaming: {str(streaming).lower()}\nmax-connections: 20\nhold-time: 0\n"
            f'peer sender {{ hostname: "127.0.0.1" patterns: "*"{secret} }}\n'
        )

    async def call(self, verb: str, *arguments: object) -> str:
        return await run("sh", self.script, verb, *arguments)


async def stat(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, ids: Sequence[bytes]) -> set[bytes]:
    writer.write(b"".join(b"STAT " + message_id + b"\r\n" for message_id in ids))
    return {message_id for message_id in ids if (await reader.readline()).startswith(b"223")}


def logged(found: re.Match[str]) -> Logged:
    # The log names no year; a leap year takes every day.
    at = datetime.strptime(f"2024 {found['time']}", "%Y %b %d %H:%M:%S.%f").replace(tzinfo=UTC)
    return Logged(at.timestamp(), found["sign"], found["id"].encode(), found["detail"])
