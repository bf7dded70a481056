"""Objects of Kubernetes as all rooms of the operator have them."""

from collections.abc import Mapping
from typing import Any, TypeAlias

Body: TypeAlias = dict[str, Any]
"""An object of Kubernetes, or a part of one, as JSON."""
Identity: TypeAlias = tuple[str, str, str]
"""Kind, namespace and name."""


def identity_of(body: Mapping[str, Any]) -> Identity:
    """Kind, namespace and name of an object."""
    return body["kind"], body["metadata"]["namespace"], body["metadata"]["name"]
