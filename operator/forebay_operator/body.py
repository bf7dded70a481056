"""Objects of Kubernetes as all rooms of the operator have them."""

from typing import Any, TypeAlias

Body: TypeAlias = dict[str, Any]
"""An object of Kubernetes, or a part of one, as JSON."""
