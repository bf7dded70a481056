"""`forebay serve`: one service as a process."""

import inspect
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


def _add(title: str, example: str, *, on_redis: bool = True) -> None:
    """Make the command of a kind of service. on_redis: what it is given may lie on Redis."""
    name_help = f"Which {title}, if the files have several; NAMESPACE/NAME where needed, as with --config."

    def run(
        files: AnyFilesOption = None,
        config: ConfigOption = None,
        name: Annotated[str, typer.Option("--name", help=name_help)] = "",
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
        from forebay.cli.hosting import Hosting
        from forebay.cli.servicekind import KINDS
        from forebay.runtime import DrainSettings

        drain = DrainSettings(drain_endpoints, drain_calls, drain_total)
        hosting = Hosting(data, tls, insecure, operator, traces, drain, http)
        _serve(KINDS[title], hosting, files, config, name, redis)

    if not on_redis:
        # Typer makes the options from what the signature says.
        signature = inspect.signature(run)
        options = [option for option in signature.parameters.values() if option.name != "redis"]
        run.__signature__ = signature.replace(parameters=options)  # type: ignore[attr-defined]
    about = f"""Run one {title} of the manifests, or of the configuration that a pod is given.

    SIGHUP (or `forebay apply`) reads the files again and applies what changed. SIGTERM or Ctrl-C drains and ends.
    """
    epilog = f"Example: `forebay serve {title.lower()} -f /etc/forebay --name {example} --data /var/lib/forebay`"
    serve.command(title.lower(), help=inspect.cleandoc(about), epilog=epilog)(run)


_add("Outfeed", "hub")
_add("Store", "main", on_redis=False)
_add("Announcer", "lan")
_add("Router", "chat")
_add("ConduitNode", "press")


def _serve(
    kind: "ServiceKind", hosting: "Hosting", files: list[Path] | None, config: Path | None, name: str, redis: str
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
