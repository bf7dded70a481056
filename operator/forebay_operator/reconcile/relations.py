"""Resources, and the resources that they name. Pure."""

from collections.abc import Mapping
from typing import Any


def name_of(resource: Mapping[str, Any]) -> str:
    """The name of a resource."""
    return str(resource["metadata"]["name"])


def referred(resource: Mapping[str, Any], field: str) -> str:
    """The name in a reference of a spec; empty where there is none, as in a resource of another version."""
    reference = (resource.get("spec") or {}).get(field) or {}
    return str(reference.get("name", ""))
