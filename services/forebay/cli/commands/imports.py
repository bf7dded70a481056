"""`forebay import`."""

from pathlib import Path
from typing import Annotated

import typer

from forebay.cli.options import Output, OutputOption


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            exists=True,
            dir_okay=False,
            help="INN's innfeed.conf and newsfeeds, both for all that can be told; or a retracker's forwarders.yml. "
            "Known by their names, else by what they hold.",
        ),
    ],
    to: Annotated[Path, typer.Option("--to", metavar="FOLDER", help="Where the manifests are written.")],
    name: Annotated[
        str,
        typer.Option(
            "--name",
            help="Name of the Outfeed (left out: hub) or the Announcer (left out: lan) that they become those of.",
        ),
    ] = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """Write the manifests that files of another program amount to, and tell what of them could not be carried over.

    Nothing that is there is overwritten. Passwords go into a file of their own that nobody else can read.
    """
    from forebay.cli.importing import import_files

    import_files(files, to, name, output)
