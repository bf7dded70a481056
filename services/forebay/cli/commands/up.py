"""`forebay up`."""

from pathlib import Path
from typing import Annotated

import typer

from forebay.cli.options import (
    DataOption,
    FilesOption,
    InsecureOption,
    OperatorOption,
    Output,
    OutputOption,
    RedisOption,
    TlsOption,
    TracesOption,
)


def up(
    files: FilesOption,
    data: DataOption = Path(".forebay"),
    redis: RedisOption = "",
    offer: Annotated[
        Path | None,
        typer.Option(
            "--offer",
            metavar="FOLDER",
            help="Offer the files of a folder, each one article, to the Outfeed that has peers, and show how it goes.",
        ),
    ] = None,
    start_later: Annotated[
        list[str] | None,
        typer.Option(
            "--start-later",
            metavar="NAME=SECONDS",
            help="Start one service only after so many seconds. May be repeated.",
        ),
    ] = None,
    until_delivered: Annotated[
        bool,
        typer.Option(
            "--until-delivered",
            help="With --offer: end once every article reached every peer that wants it, and print the accounts; exit "
            "status 1 if one did not.",
        ),
    ] = False,
    deadline: Annotated[
        float, typer.Option("--deadline", metavar="SECONDS", min=0, help="With --until-delivered: longest wait.")
    ] = 300.0,
    pace: Annotated[
        float | None,
        typer.Option(
            "--pace",
            metavar="RATE",
            min=0.01,
            help="With --offer: offer at most so many articles a second, as a feed would. Left out: as fast as they "
            "are taken.",
        ),
    ] = None,
    compact: Annotated[
        bool,
        typer.Option(
            "--compact",
            help="With --until-delivered: once all is offered, compact on this machine by Spark what waits on Redis, "
            "as `forebay spark compact` does; an Outfeed of --start-later starts only then. Needs `forebay[spark]`; "
            "if it fails, that is told, and the delivery goes on.",
        ),
    ] = False,
    tls: TlsOption = None,
    insecure: InsecureOption = False,
    operator: OperatorOption = "",
    traces: TracesOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """Run everything that manifests describe in one process: each service, and a Valkey for each managed Spill.

    SIGHUP (or `forebay apply`) reads the files again and applies what changed. SIGTERM or Ctrl-C drains and ends.
    """
    from forebay.cli.choices import delays
    from forebay.cli.ensemble import Gathering
    from forebay.cli.hosting import Hosting
    from forebay.cli.running import Wish, run_up

    hosting = Hosting(data, tls, insecure, operator, traces)
    gathering = Gathering(hosting, files, redis, delays(start_later or ()))
    run_up(gathering, Wish(offer, until_delivered, deadline, output, pace, compact))
