"""`forebay serve`: one service as a process."""

from pathlib import Path
from typing import Annotated

import typer

from forebay.cli.errors import InputError
from forebay.cli.options import (
    AnyFilesOption,
    DataOption,
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
    files: AnyFilesOption = None,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FOLDER",
            help="Begin with the configuration in the files `revision` and `document` of a folder, as the operator "
            "writes them, instead of manifests (-f). It is read at the start alone; Apply brings each later one.",
        ),
    ] = None,
    name: Annotated[
        str,
        typer.Option(
            "--name", help="Which Outfeed, if the files have several; NAMESPACE/NAME where needed, as with --config."
        ),
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
    """Run one Outfeed of the manifests, or of the configuration that a pod is given.

    SIGHUP (or `forebay apply`) reads the files again and applies what changed. SIGTERM or Ctrl-C drains and ends.
    """
    from forebay.cli.ensemble import Gathering
    from forebay.cli.hosting import Hosting
    from forebay.cli.pod import run_pod
    from forebay.cli.running import run_serve
    from forebay.runtime import DrainSettings

    hosting = Hosting(
        data, tls, insecure, operator, traces, DrainSettings(drain_endpoints, drain_calls, drain_total), http
    )
    if files and not config:
        run_serve(Gathering(hosting, files, redis), name)
    elif config and not files:
        run_pod(hosting, config, name)
    else:
        raise InputError("give manifests by -f or a configuration by --config, one of them and not both")
