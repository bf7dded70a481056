"""`forebay import`."""

from pathlib import Path
from typing import Annotated

import typer


def import_(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="A retracker's forwarders.yml."),
    ],
    to: Annotated[Path, typer.Option("--to", metavar="FOLDER", help="Where the manifests are written.")],
    name: Annotated[
        str, typer.Option("--name", help="Name of the Announcer that passes announces on to the trackers.")
    ] = "lan",
) -> None:
    """Write the manifests that a file of another program amounts to: an Announcer, and a Forwarder for each tracker.

    Nothing that is there is overwritten.
    """
    from forebay.cli.importing import import_forwarders

    import_forwarders(file, to, name)
