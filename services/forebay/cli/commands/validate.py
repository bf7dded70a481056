"""`forebay validate`."""

from forebay.cli.options import FilesOption, Output, OutputOption


def validate(files: FilesOption, output: OutputOption = Output.TABLE) -> None:
    """Check manifests: every fault of every file, with its line and what to do; exit status 1 if there is any."""
    from forebay.cli.validation import validate_files

    validate_files(files, output)
