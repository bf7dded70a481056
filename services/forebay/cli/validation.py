"""Checking manifests."""

from collections.abc import Sequence
from pathlib import Path

from forebay.api import ManifestError, SecretError, read_files
from forebay.cli.documents import document_of
from forebay.cli.options import Output
from forebay.cli.printing import print_json, print_table


def validate_files(files: Sequence[Path], output: Output) -> None:
    """Print what is in files. Raises `ManifestError` with all that is wrong in them."""
    try:
        manifests = read_files(files)
        document_of(manifests, 1)
    except (ManifestError, SecretError) as error:
        problems = list(error.problems) if isinstance(error, ManifestError) else [str(error)]
        if output is Output.JSON:
            print_json({"valid": False, "problems": problems, "resources": []})
        raise ManifestError(problems) from error
    identities = [resource.identity for resource in manifests.resources]
    if output is Output.JSON:
        resources = [{"kind": kind, "namespace": namespace, "name": name} for kind, namespace, name in identities]
        print_json({"valid": True, "problems": [], "resources": resources})
    else:
        print_table(f"{len(identities)} resources, no fault", ("kind", "namespace", "name"), identities)
