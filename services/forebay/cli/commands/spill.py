"""`forebay spill`: what services have on Redis."""

from pathlib import Path
from typing import Annotated

import typer

from forebay.cli.options import Output, OutputOption

group = typer.Typer(no_args_is_help=True, help="Look after what services have on Redis.")


@group.callback()
def spill() -> None:
    """Look after what services have on Redis."""


@group.command(epilog="Example: `forebay spill purge outfeed 3f2b9c52-8a53-4d0e-9d6e-1c9f3a1e7b10 --url-file url`")
def purge(
    service: Annotated[str, typer.Argument(metavar="SERVICE", help="What kind of service it was, as `outfeed`.")],
    uid: Annotated[str, typer.Argument(metavar="UID", help="Identity of its resource.")],
    url: Annotated[
        str, typer.Option("--url", metavar="URL", help="Of the Redis. One with a password belongs into a file.")
    ] = "",
    url_file: Annotated[
        Path | None, typer.Option("--url-file", metavar="FILE", help="A file that holds the URL of the Redis.")
    ] = None,
    wait: Annotated[
        float,
        typer.Option(
            "--wait",
            metavar="SECONDS",
            min=0,
            help="How long to wait for Redis, and for leases of the service to run out.",
        ),
    ] = 60.0,
    output: OutputOption = Output.TABLE,
) -> None:
    """Delete all that a service that is no more has left on Redis; a service that runs is left alone.

    When there is nothing it is done already, so it may be repeated. Exit status 1 if the service runs, 3 if Redis is
    away.
    """
    import uvloop

    from forebay.cli.purging import purge_service, url_of
    from forebay.runtime import configure_logs

    configure_logs("warning")
    uvloop.run(purge_service(service, uid, url_of(url, url_file), wait, output))
