"""Publishing to a running store what files, lines or the command line hold."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forebay.api.quantities import parse_duration
from forebay.cli.errors import InputError, UndoneError
from forebay.cli.options import Output
from forebay.cli.printing import print_json, print_table
from forebay.client import Message, NotKeptError, PublishSettings, PublishTally, Store, make_message

STANDARD_INPUT = Path("-")


@dataclass(frozen=True)
class Letter:
    """What all messages of one command have beside their bodies."""

    address: str
    headers: Mapping[str, str] = field(default_factory=dict)
    ttl: float | None = None
    """Seconds; None: as the queues say."""
    priority: int = 0
    transient: bool = False

    def around(self, body: bytes) -> Message:
        """A message with that body."""
        return make_message(
            self.address,
            body,
            headers=self.headers,
            ttl=self.ttl,
            priority=self.priority,
            transient=self.transient,
        )


@dataclass(frozen=True)
class Numbering:
    """Who numbers the messages, from which number on."""

    publisher: str = ""
    """Empty: a name that nobody has."""
    first: int = 1


def headers_of(texts: Sequence[str]) -> dict[str, str]:
    """Headers from texts such as `kind=order`. Raises `InputError`."""
    return dict(_header(text) for text in texts)


def _header(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise InputError(f"--header {text}: give NAME=VALUE, as kind=order")
    return name, value


def seconds_of(option: str, text: str) -> float | None:
    """Seconds from a text such as `30s`; None for none. Raises `InputError`."""
    if not text:
        return None
    try:
        return parse_duration(text).total_seconds()
    except ValueError as error:
        raise InputError(f"{option}: {error}") from error


async def bodies_of(bodies: Sequence[str], paths: Sequence[Path], lines: bool) -> AsyncIterator[bytes]:
    """The bodies given in the command line, and those in files: each file is one, or each line. Raises `OSError`."""
    for body in bodies:
        yield body.encode()
    for path in paths:
        if lines:
            async for line in lines_of(path):
                yield line
        else:
            yield await asyncio.to_thread(_read, path)


async def lines_of(path: Path) -> AsyncIterator[bytes]:
    """The lines of a file, without their ends, as they come. Raises `OSError`."""
    file = sys.stdin.buffer if path == STANDARD_INPUT else await asyncio.to_thread(path.open, "rb")
    try:
        while line := await asyncio.to_thread(file.readline):
            yield line.removesuffix(b"\n").removesuffix(b"\r")
    finally:
        if path != STANDARD_INPUT:
            file.close()


def _read(path: Path) -> bytes:
    return sys.stdin.buffer.read() if path == STANDARD_INPUT else path.read_bytes()


async def publish_messages(
    letter: Letter,
    bodies: AsyncIterator[bytes],
    numbering: Numbering,
    address: str,
    tls: Path | None,
    patience: float,
    output: Output,
) -> None:
    """Publish messages, and print what became of them. Raises `UndoneError` when one is not kept."""
    settings = PublishSettings(patience=patience)
    problem = ""
    async with Store.connect(address, tls) as store:
        publisher = store.publisher(numbering.publisher, numbering.first, settings)
        try:
            async with publisher:
                async for body in bodies:
                    await publisher.send([letter.around(body)])
        except NotKeptError as error:
            problem = str(error)
    if output is Output.JSON:
        print_json(counts_of(publisher.tally) | {"publisher": publisher.name, "problem": problem})
    else:
        counts = counts_of(publisher.tally)
        print_table("", [f">{name}" for name in counts], [tuple(counts.values())])
    if problem:
        raise UndoneError(problem)


def counts_of(tally: PublishTally) -> dict[str, Any]:
    """Messages by outcome."""
    return {
        "confirmed": tally.confirmed,
        "duplicate": tally.duplicate,
        "unrouted": tally.unrouted,
        "refused": tally.refused,
    }
