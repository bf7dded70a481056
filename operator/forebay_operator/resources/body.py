"""Kubernetes objects as plain dictionaries, in the form in which an API server keeps them."""

from typing import Any

from forebay.api.quantities import format_size
from forebay_operator.body import Body


def given(**fields: Any) -> Body:
    """The fields that have something in them: what is not applied stays the API server's to fill in."""
    return {name: value for name, value in fields.items() if value}


def with_memory(wanted: Body, requested: int, limit: int) -> Body:
    """Requests and limits as the settings want them, but for memory, which the resource decides."""
    memory = {"requests": requested, "limits": limit}
    figures = {part: {**wanted.get(part, {}), "memory": quantity(octets)} for part, octets in memory.items()}
    return {**wanted, **figures}


def quantity(octets: int) -> str:
    """An amount of octets in Kubernetes' canonical form, so that it reads back as it was written."""
    text = format_size(octets).removesuffix("B")
    return text if text.endswith("i") else text.replace("K", "k")
