"""What names a forwarder under one spec of it, over restarts and over releases."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forebay.announcer.forwarding.forwarderspec import ForwarderSpec

SIZE = 8
"""Octets of a digest."""
NO_DIGEST = bytes(SIZE)
"""Stands for a forwarder that is gone."""


@lru_cache(16384)
def digest_of(spec: ForwarderSpec) -> bytes:
    """`SIZE` octets that differ for any two specs. A field that a later release adds changes none where it is unset."""
    told = {field.name: getattr(spec, field.name) for field in fields(spec)}
    defaults = {field.name: field.default for field in fields(spec) if field.default is not MISSING}
    given = {name: value for name, value in told.items() if name not in defaults or value != defaults[name]}
    return sha256(json.dumps(given, sort_keys=True, default=repr).encode()).digest()[:SIZE]
