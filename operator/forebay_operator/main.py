"""Entry of the `forebay-operator` command."""

import os
import sys
from pathlib import Path
from typing import Annotated

# Read as soon as gRPC is imported. What it says of a pod that is not reached, no JSON, is in that pod's conditions.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
# No child of ours uses gRPC.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")

import typer
import uvloop

from forebay.runtime import ForebayError, configure_logs, parse_address
from forebay_operator.application import operate
from forebay_operator.errors import OperatorError, SettingsFileError
from forebay_operator.quieting import quieten_kopf
from forebay_operator.settings import read_settings

HELP = """Bring Forebay's resources about on Kubernetes: `kubectl apply` an Outfeed, and it runs.

The chart runs this in a pod, with a service account that has the rights it needs. To try a change of it, scale the
chart's Deployment to 0, and run it on your own machine with KUBECONFIG and POD_NAMESPACE set.
"""
EPILOG = "Example: `POD_NAMESPACE=forebay forebay-operator --settings settings.yaml --http 127.0.0.1:8080`"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")


@app.command(help=HELP, epilog=EPILOG)
def run(
    settings: Annotated[
        Path, typer.Option("--settings", help="The YAML file that the chart makes as a ConfigMap.", show_default=False)
    ],
    http: Annotated[
        str, typer.Option("--http", metavar="HOST:PORT", help="Where /healthz and /metrics are shown.")
    ] = "0.0.0.0:8080",
) -> None:
    """Run the operator until SIGTERM or Ctrl-C."""
    try:
        work = operate(read_settings(settings), own_namespace(), parse_address(http))
        configure_logs("info", "json")
        quieten_kopf()
        uvloop.run(work)
    except (OperatorError, ForebayError) as error:
        typer.echo(f"Error: {error}", err=True)
        sys.exit(1)


def own_namespace() -> str:
    """Where the operator keeps its Lease and its authorities. Raises `SettingsFileError`."""
    try:
        return os.environ["POD_NAMESPACE"]
    except KeyError:
        raise SettingsFileError("POD_NAMESPACE is not set; set it to the namespace of the operator") from None


if __name__ == "__main__":
    app()
