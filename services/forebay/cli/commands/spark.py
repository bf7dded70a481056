"""`forebay spark`: the Spark jobs, on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from forebay.cli.options import AnyFilesOption, DataOption, Output, OutputOption, RedisOption

group = typer.Typer(no_args_is_help=True)
CoresOption = Annotated[
    int | None, typer.Option("--cores", metavar="NUMBER", min=1, help="How many cores to use. Left out: all there are.")
]


@group.callback()
def spark() -> None:
    """Run Spark jobs on this machine: compaction of backlogs and logs, reports and checks.

    They need `forebay[spark]`, and a Java of version 17 or later, which that brings if the machine has none. In a
    cluster the same jobs run as Compactions.
    """


@group.command(epilog="Example: `forebay spark compact -f examples/quickstart --max-age 10d`")
def compact(
    files: AnyFilesOption = None,
    name: Annotated[
        str, typer.Option("--name", help="Whose backlogs, if the files have several Outfeeds with peers.")
    ] = "",
    data: DataOption = Path(".forebay"),
    redis: RedisOption = "",
    uid: Annotated[
        str, typer.Option("--uid", help="Without files: identity of the Outfeed, as `kubectl get -o yaml` tells it.")
    ] = "",
    url: Annotated[
        str,
        typer.Option("--url", metavar="URL", help="With --uid: of the Redis. One with a password goes into a file."),
    ] = "",
    url_file: Annotated[
        Path | None,
        typer.Option("--url-file", metavar="FILE", help="With --uid: a file that holds the URL of the Redis."),
    ] = None,
    max_age: Annotated[
        str, typer.Option("--max-age", metavar="DURATION", help="Drop articles that arrived earlier, as 10d.")
    ] = "",
    max_bytes: Annotated[
        str,
        typer.Option(
            "--max-bytes",
            metavar="SIZE",
            help="Drop the oldest of what a peer has in its backlog, and in what is deferred, beyond that, as 1GB.",
        ),
    ] = "",
    cores: CoresOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Make the backlogs on Redis smaller: drop repeats, and what is too old or too much; write full streams in order.

    The service goes on meanwhile: it may run, and be drained, at the same time. Streams that it still appends to, or
    sends from, are left alone. Exit status 1 if a peer's backlog was left as it was.
    """
    from forebay.cli.sparkjobs import options_of, run_job
    from forebay.cli.spillplaces import given_place, place_of

    place = place_of(files, data, name, redis) if files else given_place(uid, url, url_file)
    limits = options_of({"--max-age": max_age, "--max-bytes": max_bytes, "--cores": cores})
    with place as arguments:
        run_job(["compact-spill", *arguments, *limits], output)


@group.command(epilog="Example: `forebay spark outcomes --outcomes .forebay/outfeed/default.hub/outcomes --to parquet`")
def outcomes(
    outcomes: Annotated[
        Path,
        typer.Option("--outcomes", metavar="FOLDER", help="The outcome log: `outcomes` in an Outfeed's data folder."),
    ],
    to: Annotated[
        Path, typer.Option("--to", metavar="FOLDER", help="Where the Parquet is kept; what is there is added to.")
    ],
    cores: CoresOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Turn an outcome log into Parquet by day and peer, sorted and without repeats; then remove what was turned."""
    from forebay.cli.sparkjobs import options_of, run_job

    options = options_of({"--outcomes": outcomes, "--to": to, "--cores": cores})
    run_job(["compact-outcomes", *options], output)


@group.command(epilog="Example: `forebay spark report --outcomes parquet --to report.html`")
def report(
    outcomes: Annotated[
        Path, typer.Option("--outcomes", metavar="FOLDER", help="The Parquet that `forebay spark outcomes` keeps.")
    ],
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="Where the page goes.")],
    days: Annotated[int, typer.Option("--days", metavar="NUMBER", min=1, help="Up to the newest day there is.")] = 7,
    cores: CoresOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Make one page of what became of articles, with plots, by peer, group, reason and hour.

    It is a single file that is read without a network, on a phone too.
    """
    from forebay.cli.sparkjobs import options_of, run_job

    options = options_of({"--outcomes": outcomes, "--to": to, "--days": days, "--cores": cores})
    run_job(["feed-report", *options], output)


@group.command(epilog="Example: `forebay spark verify --data .forebay/outfeed/default.hub`")
def verify(
    data: Annotated[
        Path,
        typer.Option("--data", metavar="FOLDER", help="Data folder of a service, or a copy of it. It is only read."),
    ],
    cores: CoresOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Check a message store: checksums, messages that nobody needs, references to what is not there, garbage by file.

    Exit status 1 if there is a fault.
    """
    from forebay.cli.sparkjobs import options_of, run_job

    run_job(["verify-messages", *options_of({"--data": data, "--cores": cores})], output)
