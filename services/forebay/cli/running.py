"""Running services as this process: `forebay up` and `forebay serve`."""

import asyncio
import os
import sys
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvloop

from forebay.api import Manifests
from forebay.api.v1alpha1 import Outfeed
from forebay.api.v1alpha1 import Service as ServiceResource
from forebay.cli.articlefiles import article_files
from forebay.cli.choices import all_of, check_names, fed_one, one_of, title
from forebay.cli.compacting import Compacting
from forebay.cli.display import Display, display
from forebay.cli.ensemble import Ensemble, Gathering, gathered
from forebay.cli.errors import InputError, UndoneError
from forebay.cli.failures import report
from forebay.cli.feeding import Feeding
from forebay.cli.offers import Report
from forebay.cli.options import Output
from forebay.cli.printing import print_json
from forebay.cli.servicekind import ServiceKind
from forebay.cli.spillplaces import place_of
from forebay.cli.targets import grpc_address
from forebay.runtime import DrainTimeoutError, UnavailableError, configure_logs

STOPPED = "the services were stopped"


@dataclass(frozen=True)
class Wish:
    """What `forebay up` does beside running services."""

    offer: Path | None
    """Folder of articles to offer."""
    until_delivered: bool
    deadline: float
    """Seconds that the delivery may take."""
    output: Output
    pace: float | None = None
    """Most articles to offer a second; None: no limit."""
    compact: bool = False
    """Whether to compact the backlogs once all was offered, before what starts later starts."""


def run_serve(gathering: Gathering, kind: ServiceKind, name: str) -> None:
    """Run one service of a kind until a signal ends it."""
    configure_logs("info")

    def choice(manifests: Manifests) -> Sequence[ServiceResource]:
        return [one_of(manifests, kind.model, name)]

    async def served() -> None:
        async with gathered(gathering, choice) as ensemble:
            await ensemble.run()

    uvloop.run(to_the_end(served()))


def run_up(gathering: Gathering, wish: Wish) -> None:
    """Run all services until a signal ends them, or until all is delivered."""
    if wish.until_delivered and not wish.offer:
        raise InputError("--until-delivered needs something to deliver", "Give a folder of articles by --offer.")
    if wish.compact and not wish.until_delivered:
        raise InputError(
            "--compact needs --until-delivered", "To compact at any time there is `forebay spark compact`."
        )
    configure_logs("info" if wish.offer is None else "warning")
    uvloop.run(to_the_end(up(gathering, wish)))


async def to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Run what serves. When a service was not drained in time, the process ends here and at once.

    Otherwise a thread that hangs, say in a disk that does not answer, would keep the interpreter from ending.
    """
    try:
        await work
    except DrainTimeoutError as error:
        status = report(error)
        sys.stdout.flush()
        os._exit(status)


async def up(gathering: Gathering, wish: Wish) -> None:
    """Run services, and feed them if that is wished.

    Raises `UndoneError` when not everything was delivered, and what keeps services from running.
    """

    def choice(manifests: Manifests) -> Sequence[ServiceResource]:
        services = all_of(manifests)
        check_names([*gathering.later], services)
        return services

    files = article_files([wish.offer] if wish.offer else [])
    async with gathered(gathering, choice) as ensemble:
        if wish.offer is None:
            await ensemble.run()
            return
        fed = fed_one(ensemble.manifests)
        feeding = Feeding(files, grpc_address(fed), gathering.hosting.tls, Report(files), wish.pace)
        compacting = compaction(gathering, ensemble, fed) if wish.compact else None
        ended = await feed(ensemble, fed.identity, feeding, compacting, wish)
    if wish.until_delivered:
        conclude(feeding, compacting, ended, wish)


def compaction(gathering: Gathering, ensemble: Ensemble, fed: Outfeed) -> Compacting:
    """The compaction of the backlogs of the fed Outfeed, which what starts later waits for."""
    ensemble.hold_late(fed.identity)
    place = place_of(gathering.files, gathering.hosting.data, title(fed), gathering.redis)
    return Compacting(place, ensemble.release)


async def feed(
    ensemble: Ensemble, identity: tuple[str, str, str], feeding: Feeding, compacting: Compacting | None, wish: Wish
) -> str:
    """Run services and feed one of them; why that ended, if too early. At the end the services are drained."""
    with display(wish.output) as shown:
        # Again, for a display may have put itself in the place of standard error, so that entries go above its table.
        configure_logs("warning")
        serving = asyncio.ensure_future(ensemble.run())
        started = ensemble.hosts[identity].started
        work = asyncio.ensure_future(fed_and_compacted(feeding, compacting, started, shown, wish))
        deadline = wish.deadline if wish.until_delivered else None
        try:
            await asyncio.wait({serving, work}, timeout=deadline, return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                serving.result()
                return STOPPED
            if not work.done():
                return f"{wish.deadline:g} s were over"
            work.result()
            return ""
        except UnavailableError:
            # The services drain, and have ended our calls.
            return STOPPED
        finally:
            for task in (work, serving):
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)


async def fed_and_compacted(
    feeding: Feeding, compacting: Compacting | None, started: asyncio.Event, shown: Display, wish: Wish
) -> None:
    """Feed, and compact meanwhile if that is wished."""
    aside = asyncio.ensure_future(compacting.run(feeding.offered)) if compacting else None
    try:
        await feeding.run(started, shown, wish.until_delivered)
        if aside:
            await aside
    finally:
        if aside:
            aside.cancel()
            await asyncio.gather(aside, return_exceptions=True)


def conclude(feeding: Feeding, compacting: Compacting | None, ended: str, wish: Wish) -> None:
    """Print the accounts. Raises `UndoneError` when something is missing."""
    accounts = feeding.accounts
    if wish.output is Output.JSON:
        print_json(accounts.plain() | ({"compaction": compacting.plain()} if compacting else {}))
    else:
        accounts.print()
        if compacting:
            compacting.print()
    if ended or accounts.problems():
        reason = f": {ended}" if ended else ""
        raise UndoneError(f"not every article reached every peer that wants it{reason}")
