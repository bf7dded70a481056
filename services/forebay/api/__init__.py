"""The custom resources, and how they are read: one schema for kubectl, for files and for services."""

from forebay.api.errors import ApiError, ManifestError, SecretError, UidsError
from forebay.api.inheritance import complete
from forebay.api.manifests import Manifests, Reading, read_files, read_objects
from forebay.api.references import references
from forebay.api.uids import with_uids
from forebay.api.violations import Violation

__all__ = [
    "ApiError",
    "ManifestError",
    "Manifests",
    "Reading",
    "SecretError",
    "UidsError",
    "Violation",
    "complete",
    "read_files",
    "read_objects",
    "references",
    "with_uids",
]
