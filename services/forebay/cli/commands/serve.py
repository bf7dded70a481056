"""`forebay serve`: one service as a process."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from forebay.cli.hosting import Hosting
    from forebay.cli.servicekind import ServiceKind

serve = typer.Typer(no_args_is_help=True, help="Run one service as this process.")

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FOLDER",
        help="Begin with the configuration in the files `revision` and `document` of a folder, as the operator "
        "writes them, instead of manifests (-f). It is read at the start alone; Apply brings each later one.",
    ),
]
HttpOption = Annotated[
    str,
    typer.Option("--http", metavar="HOST:PORT", help="Where health and metrics are shown, instead of the files'."),
]
EndpointsOption = Annotated[
    float,
    typer.Option(
        "--drain-endpoints", metavar="SECONDS", min=0, help="At the end: wait so long for load balancers to turn away."
    ),
]
CallsOption = Annotated[
    float,
    typer.Option("--drain-calls", metavar="SECONDS", min=0, help="At the end: wait so long for calls in progress."),
]
TotalOption = Annotated[
    float, typer.Option("--drain-total", metavar="SECONDS", min=0, help="At the end: longest time for all of it.")
]


@serve.callback()
def group() -> None:
    """Run one service as this process."""


@serve.command(epilog="Example: `forebay serve outfeed -f /etc/forebay --name hub --data /var/lib/forebay`")
def outfeed(
    files: AnyFilesOption = None,
    config: ConfigOption = None,
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
    http: HttpOption = "",
    drain_endpoints: EndpointsOption = 0.0,
    drain_calls: CallsOption = 10.0,
    drain_total: TotalOption = 25.0,
) -> None:
    """Run one Outfeed of the manifests, or of the configuration that a pod is given.

    SIGHUP (or `forebay apply`) reads the files again and applies what changed. SIGTERM or Ctrl-C drains and ends.
    """
    from forebay.cli.hosting import Hosting
    from forebay.cli.servicekind import OUTFEED
    from forebay.runtime import DrainSettings

    drain = DrainSettings(drain_endpoints, drain_calls, drain_total)
    _serve(OUTFEED, Hosting(data, tls, insecure, operator, traces, drain, http), files, config, name, redis)


@serve.command(epilog="Example: `forebay serve store -f /etc/forebay --name main --data /var/lib/forebay`")
def store(
    files: AnyFilesOption = None,
    config: ConfigOption = None,
    name: Annotated[
        str,
        typer.Option(
            "--name", help="Which Store, if the files have several; NAMESPACE/NAME where needed, as with --config."
        ),
    ] = "",
    data: DataOption = Path(".forebay"),
    tls: TlsOption = None,
    insecure: InsecureOption = False,
    operator: OperatorOption = "",
    traces: TracesOption = "",
    http: HttpOption = "",
    drain_endpoints: EndpointsOption = 0.0,
    drain_calls: CallsOption = 10.0,
    drain_total: TotalOption = 25.0,
) -> None:
    """Run one Store of the manifests, or of the configuration that a pod is given.

    SIGHUP (or `forebay apply`) reads the files again and applies what changed. SIGTERM or Ctrl-C drains and ends.
    """
    from forebay.cli.hosting import Hosting
    from forebay.cli.servicekind import STORE
    from forebay.runtime import DrainSettings

    drain = DrainSettings(drain_endpoints, drain_calls, drain_total)
    _serve(STORE, Hosting(data, tls, insecure, operator, traces, drain, http), files, config, name)


@serve.command(epilog="Example: `forebay serve announcer -f /etc/forebay --name lan --data /var/lib/forebay`")
def announcer(
    files: AnyFilesOption = None,
    config: ConfigOption = None,
    name: Annotated[
        str,
        typer.Option(
            "--name", help="Which Announcer, if the files have several; NAMESPACE/NAME where needed, as with --config."
        ),
    ] = "",
    data: DataOption = Path(".forebay"),
    redis: RedisOption = "",
    tls: TlsOption = None,
    insecure: InsecureOption = False,
    operator: OperatorOption = "",
    traces: TracesOption = "",
    http: HttpOption = "",
    drain_endpoints: EndpointsOption = 0.0,
    drain_calls: CallsOption = 10.0,
    drain_total: TotalOption = 25.0,
) -> None:
    """Run one Announcer of the manifests, or of the configuration that a pod is given.

    SIGHUP (or `forebay apply`) reads the files again and applies what changed. SIGTERM or Ctrl-C drains and ends.
    """
    from forebay.cli.hosting import Hosting
    from forebay.cli.servicekind import ANNOUNCER
    from forebay.runtime import DrainSettings

    drain = DrainSettings(drain_endpoints, drain_calls, drain_total)
    _serve(ANNOUNCER, Hosting(data, tls, insecure, operator, traces, drain, http), files, config, name, redis)


@serve.command(epilog="Example: `forebay serve router -f /etc/forebay --name chat --data /var/lib/forebay`")
def router(
    files: AnyFilesOption = None,
    config: ConfigOption = None,
    name: Annotated[
        str,
        typer.Option(
            "--name", help="Which Router, if the files have several; NAMESPACE/NAME where needed, as with --config."
        ),
    ] = "",
    data: DataOption = Path(".forebay"),
    redis: RedisOption = "",
    tls: TlsOption = None,
    insecure: InsecureOption = False,
    operator: OperatorOption = "",
    traces: TracesOption = "",
    http: HttpOption = "",
    drain_endpoints: EndpointsOption = 0.0,
    drain_calls: CallsOption = 10.0,
    drain_total: TotalOption = 25.0,
) -> None:
    """Run one Router of the manifests, or of the configuration that a pod is given.

    SIGHUP (or `forebay apply`) reads the files again and applies what changed. SIGTERM or Ctrl-C drains and ends.
    """
    from forebay.cli.hosting import Hosting
    from forebay.cli.servicekind import ROUTER
    from forebay.runtime import DrainSettings

    drain = DrainSettings(drain_endpoints, drain_calls, drain_total)
    _serve(ROUTER, Hosting(data, tls, insecure, operator, traces, drain, http), files, config, name, redis)


@serve.command(epilog="Example: `forebay serve conduitnode -f /etc/forebay --name press --data /var/lib/forebay`")
def conduitnode(
    files: AnyFilesOption = None,
    config: ConfigOption = None,
    name: Annotated[
        str,
        typer.Option(
            "--name",
            help="Which ConduitNode, if the files have several; NAMESPACE/NAME where needed, as with --config.",
        ),
    ] = "",
    data: DataOption = Path(".forebay"),
    redis: RedisOption = "",
    tls: TlsOption = None,
    insecure: InsecureOption = False,
    operator: OperatorOption = "",
    traces: TracesOption = "",
    http: HttpOption = "",
    drain_endpoints: EndpointsOption = 0.0,
    drain_calls: CallsOption = 10.0,
    drain_total: TotalOption = 25.0,
) -> None:
    """Run one ConduitNode of the manifests, or of the configuration that a pod is given.

    SIGHUP (or `forebay apply`) reads the files again and applies what changed. SIGTERM or Ctrl-C drains and ends.
    """
    from forebay.cli.hosting import Hosting
    from forebay.cli.servicekind import CONDUITNODE
    from forebay.runtime import DrainSettings

    drain = DrainSettings(drain_endpoints, drain_calls, drain_total)
    _serve(CONDUITNODE, Hosting(data, tls, insecure, operator, traces, drain, http), files, config, name, redis)


def _serve(
    kind: "ServiceKind", hosting: "Hosting", files: list[Path] | None, config: Path | None, name: str, redis: str = ""
) -> None:
    from forebay.cli.ensemble import Gathering
    from forebay.cli.pod import run_pod
    from forebay.cli.running import run_serve

    if files and not config:
        run_serve(Gathering(hosting, files, redis), kind, name)
    elif config and not files:
        run_pod(hosting, kind, config, name)
    else:
        raise InputError("give manifests by -f or a configuration by --config, one of them and not both")
