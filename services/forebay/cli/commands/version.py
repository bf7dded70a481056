"""`forebay version`."""

from importlib.metadata import version as version_of

from forebay.cli.options import Output, OutputOption


def version(output: OutputOption = Output.TABLE) -> None:
    """Show which version this is."""
    number = version_of("forebay")
    print(f'{{"version": "{number}"}}' if output is Output.JSON else number)
