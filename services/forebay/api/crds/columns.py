"""What `kubectl get` prints of a resource: whether it is ready and why not, two figures, its age; and more if asked."""

from typing import Any

Column = dict[str, Any]

AGE: Column = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}


def columns(*figures: Column) -> list[Column]:
    """All columns of a kind, its figures among them."""
    return [of_ready("Ready", "status"), of_ready("Reason", "reason"), *figures, AGE]


def of_ready(name: str, field: str) -> Column:
    """A column with a field of the condition Ready."""
    return {"name": name, "type": "string", "jsonPath": f'.status.conditions[?(@.type=="Ready")].{field}'}


def figure(name: str, field: str, meaning: str, kind: str = "integer") -> Column:
    """A column with a field of the status."""
    return {"name": name, "type": kind, "description": meaning, "jsonPath": f".status.{field}"}


def wide(column: Column) -> Column:
    """The column, printed by `-o wide` alone."""
    return column | {"priority": 1}
