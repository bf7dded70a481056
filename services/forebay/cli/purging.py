"""Deleting what a service has left on Redis."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from forebay.cli.errors import AwayError, InputError
from forebay.cli.options import Output
from forebay.cli.printing import print_json
from forebay.runtime import Secret
from forebay.spill import Depth, Spill, SpillSettings, purge

TOLD = 100
"""Owners after which progress is told."""


def url_of(url: str, file: Path | None) -> Secret:
    """The URL that is meant. Raises `InputError` unless it is given in exactly one way, `OSError` for the file."""
    if bool(url) is (file is not None):
        raise InputError("give the URL of the Redis by --url or by --url-file, one of them and not both")
    return Secret(url if file is None else file.read_text().strip())


async def purge_service(service: str, uid: str, url: Secret, wait: float, output: Output) -> None:
    """Delete all keys of a service and print how much that was.

    Raises `AwayError` when Redis is not there within `wait` seconds, and `SpillError`.
    """
    owners, total = 0, Depth()
    async with _connected(Spill(SpillSettings(url.reveal()), service, uid), wait) as spill:
        async for depth in purge(spill, wait):
            owners, total = owners + 1, total + depth
            if owners % TOLD == 0:
                print(f"{owners} owners deleted", file=sys.stderr)
    if output is Output.JSON:
        print_json({"owners": owners, "entries": total.entries, "bytes": total.bytes})
    else:
        print(f"{owners} owners with {total.entries} entries deleted" if owners else "there is nothing to delete")


@asynccontextmanager
async def _connected(spill: Spill, wait: float) -> AsyncIterator[Spill]:
    try:
        try:
            async with asyncio.timeout(wait):
                await spill.ready()
        except TimeoutError:
            raise AwayError(f"Redis was not reached within {wait:g} s: {spill.problem}") from None
        yield spill
    finally:
        await spill.close()
