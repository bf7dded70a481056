"""Checking manifests."""

from collections.abc import Sequence
from pathlib import Path

from forebay.api import ManifestError, read_files
from forebay.cli.options import Output
from forebay.cli.printing import print_json, print_table


def validate_files(files: Sequence[Path], output: Output) -> None:
    """Print what is in files. Raises `ManifestError` with all that is wrong in them."""
    try:
        manifests = read_files(files)
    except ManifestError as error:
        if output is Output.JSON:
            print_json({"valid": False, "problems": error.problems, "resources": []})
        raise
    identities = [resource.identity for resource in manifests.resources]
    if output is Output.JSON:
        resources = [{"kind": kind, "namespace": namespace, "name": name} for kind, namespace, name in identities]
        print_json({"valid": True, "problems": [], "resources": resources})
    else:
        print_table(f"{len(identities)} resources, no fault", ("kind", "namespace", "name"), identities)
