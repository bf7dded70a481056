"""`forebay apply`."""

from pathlib import Path
from typing import Annotated

import typer

from forebay.cli.options import DataOption, FilesOption, Output, OutputOption, TlsOption


def apply(
    files: FilesOption,
    address: Annotated[
        list[str] | None,
        typer.Option(
            "--address",
            metavar="HOST:PORT",
            help="Where a service serves gRPC. May be repeated. Left out: where the services of the files listen.",
        ),
    ] = None,
    data: DataOption = Path(".forebay"),
    tls: TlsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Send manifests to running services, which change over without a restart.

    Identities of new resources are kept in the data folder: use that of the services, so that a restart finds them.
    Exit status 1 if a resource was not applied.
    """
    import uvloop

    from forebay.cli.application import apply_files

    uvloop.run(apply_files(files, address or [], data, tls, output))
