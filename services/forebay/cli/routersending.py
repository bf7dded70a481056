"""Sending one message by a router, from a process that lives for as long as that takes."""

import asyncio
import os
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forebay.cli.errors import InputError, UndoneError
from forebay.cli.options import Output
from forebay.cli.printing import print_json
from forebay.client.router import (
    BadNameError,
    Dropped,
    Event,
    Flag,
    Message,
    Process,
    ProcessSettings,
    RegistrationError,
    Thread,
    ThreadError,
)

PATIENCE = 5.0
"""Seconds that the router may be away."""
SETTINGS = ProcessSettings(patience=PATIENCE)


@dataclass(frozen=True)
class Letter:
    """A message, as the command line has it."""

    recipient: str
    name: str
    body: str
    """`-`: it is read from standard input."""
    fields: Sequence[str]
    group: bool
    urgent: bool
    ttl: int
    reply: float | None
    """Seconds to wait for one; None: there is to be none."""
    sender: str

    def octets(self) -> bytes:
        """The body."""
        return sys.stdin.buffer.read() if self.body == "-" else self.body.encode()

    def pairs(self) -> dict[str, str]:
        """The fields by name. Raises `InputError`."""
        return dict(map(_pair, self.fields))


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise InputError(f"--field {text}: give NAME=VALUE, as room=12")
    return name, value


async def send_letter(letter: Letter, address: str, tls: Path | None, output: Output) -> None:
    """Send it, and tell what became of it. Raises `InputError`, and `UndoneError` when it was dropped."""
    if letter.group and letter.reply is not None:
        raise InputError("--group and --reply exclude each other: nobody of a group replies", "Leave one out.")
    body, fields = letter.octets(), letter.pairs()
    dropped: list[Dropped] = []

    def note(_: Thread, event: Event) -> None:
        if isinstance(event, Dropped):
            dropped.append(event)

    name = letter.sender or f"cli-{os.getpid()}-{secrets.token_hex(3)}"
    try:
        async with Process.connect(address, name, tls=tls, settings=SETTINGS) as process:
            thread = await process.thread(name, on_event=note)
            if letter.reply is not None:
                answer = await thread.request(
                    letter.recipient, letter.name, body, fields, within=letter.reply, ttl=letter.ttl
                )
                _show(answer, output)
                return
            _put(thread, letter, body, fields)
            async with asyncio.timeout(SETTINGS.farewell):
                await process.flushed(thread)
            # A notice that has come is handled before the thread ends.
            await asyncio.sleep(0)
    except (BadNameError, RegistrationError) as error:
        raise InputError(str(error)) from error
    except (ThreadError, TimeoutError) as error:
        raise UndoneError(str(error) or "no receipt has come: the recipient may have it, or not") from error
    for event in dropped:
        raise UndoneError(f"{event.name}: {event.extra}")
    if output is Output.JSON:
        print_json({"recipient": letter.recipient, "received": not letter.group})
    elif not letter.group:
        print(f"{letter.recipient} has it")


def _put(thread: Thread, letter: Letter, body: bytes, fields: dict[str, str]) -> None:
    urgent = Flag.URGENT if letter.urgent else Flag.NONE
    if letter.group:
        thread.multicast(letter.recipient, letter.name, body, fields, flags=urgent, ttl=letter.ttl)
    else:
        flags = urgent | Flag.NOTIFY_DROP
        thread.send(letter.recipient, letter.name, body, fields, flags=flags, ttl=letter.ttl)


def _show(answer: Message, output: Output) -> None:
    """Print a reply."""
    fields = {name: value.hex() if isinstance(value, bytes) else value for name, value in answer.fields.items()}
    if output is Output.JSON:
        body = answer.body.decode(errors="replace")
        print_json({"name": answer.name, "sender": answer.sender, "fields": fields, "body": body})
        return
    print(answer.body.decode(errors="replace"))
    for name, value in fields.items():
        print(f"{name}={value}")
