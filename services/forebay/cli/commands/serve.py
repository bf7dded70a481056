"""`forebay serve`: one service as a process."""

from pathlib import Path
from typing import Annotated

import typer

from forebay.cli.options import (
    DataOption,
    FilesOption,
    InsecureOption,
    OperatorOption,
    RedisOption,
    TlsOption,
    TracesOption,
)

serve = typer.Typer(no_args_is_help=True, help="Run one service as this process.")


@serve.callback()
def group() -> None:
    """Run one service as this process."""


@serve.command(epilog="Example: `forebay serve outfeed -f /etc/forebay --name hub --data /var/lib/forebay`")
def outfeed(
    files: FilesOption,
    name: Annotated[
        str, typer.Option("--name", help="Which Outfeed, if the files have several; NAMESPACE/NAME where needed.")
    ] = "",
    data: DataOption = Path(".forebay"),
    redis: RedisOption = "",
    tls: TlsOption = None,
    insecure: InsecureOption = False,
    operator: OperatorOption = "",
    traces: TracesOption = "",
    http: Annotated[
        str,
        typer.Option("--http", metavar="HOST:PORT", help="Where health and metrics are shown, instead of the files'."),
    ] = "",
    drain_endpoints: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="At the end: wait so long for load balancers to turn away."),
    ] = 0.0,
    drain_calls: Annotated[
        float, typer.Option(metavar="SECONDS", min=0, help="At the end: wait so long for calls in progress.")
    ] = 10.0,
    drain_total: Annotated[
        float, typer.Option(metavar="SECONDS", min=0, help="At the end: longest time for all of it.")
    ] = 25.0,
) -> None:
    """Run one Outfeed of the manifests.

    SIGHUP (or `forebay apply`) reads the files again and applies what changed. SIGTERM or Ctrl-C drains and ends.
    """
    from forebay.cli.ensemble import Gathering
    from forebay.cli.running import run_serve
    from forebay.runtime import DrainSettings

    drain = DrainSettings(drain_endpoints, drain_calls, drain_total)
    run_serve(Gathering(files, data, redis, tls, insecure, operator, traces, drain, http), name)
