"""What names a forwarder under one spec of it, over restarts and over releases."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec

SIZE = 8
"""Octets of a digest."""
NO_DIGEST = bytes(SIZE)
"""Stands for a forwarder that is gone."""


@lru_cache(16384)
def digest_of(spec: ForwarderSpec) -> bytes:
    """`SIZE` octets that differ for any two specs. A field that a later release adds changes none where it is unset."""
    return sha256(json.dumps(_set(spec), sort_keys=True).encode()).digest()[:SIZE]


def _set(settings: Any) -> dict[str, Any]:
    """The fields that have other values than they would have by themselves."""
    values = {field.name: (getattr(settings, field.name), field.default) for field in fields(settings)}
    return {
        name: _set(value) if is_dataclass(value) else value
        for name, (value, default) in values.items()
        if value != default
    }
