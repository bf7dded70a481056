"""What can be set of a bridge."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from forebay.client.bridge.errors import BridgeSettingError
from forebay.conduit.core.uri.pattern import Pattern
from forebay.conduit.core.uri.syntax import fault_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

EVERYTHING = ("/**",)
_PREFIX = re.compile(r"[^/*$?#]+(/[^/*$?#]+)*")


@dataclass(frozen=True)
class BridgeSettings:
    """What goes over, and under which names."""

    network: str = "conduit"
    """Name of the network of conduit nodes. What a bridge of a network has brought over, no other bridge of that
    network brings back. Networks that are to talk by way of zenoh need different names."""
    outward: tuple[str, ...] = EVERYTHING
    """Patterns of URIs whose samples go to zenoh; no two of them match the same URI."""
    inward: tuple[str, ...] = EVERYTHING
    """Patterns of URIs whose samples come from zenoh; no two of them match the same URI."""
    prefix: str = ""
    """What stands before the URI in keys of zenoh, such as `plant/conduit`; empty: nothing."""
    conduit: int = 0
    """The conduit that samples of zenoh are written to."""
    waiting_samples: int = 16384
    """Samples of zenoh that wait for each pattern; then zenoh has to wait."""

    def __post_init__(self) -> None:
        _check_patterns("outward", self.outward)
        _check_patterns("inward", self.inward)
        if self.prefix and not _PREFIX.fullmatch(self.prefix):
            raise BridgeSettingError(f"prefix is {self.prefix!r}: take a key as plant/conduit, without wildcards")
        for name, least in (("conduit", 0), ("waiting_samples", 1)):
            if getattr(self, name) < least:
                raise BridgeSettingError(f"{name} is {getattr(self, name)}: take {least} or more")


@dataclass(frozen=True)
class ZenohSettings:
    """How the session of zenoh is opened. What is left out is as the file, or else zenoh itself, has it."""

    file: Path | None = None
    """A configuration of zenoh, in JSON5."""
    mode: str = ""
    """`peer` or `client`."""
    connect: tuple[str, ...] = ()
    """Endpoints to connect to, as `tcp/router.example.com:7447`."""
    listen: tuple[str, ...] = ()
    """Endpoints to listen on."""


def _check_patterns(setting: str, patterns: Sequence[str]) -> None:
    for pattern in patterns:
        if fault := fault_of(pattern):
            raise BridgeSettingError(f"{setting} has {pattern!r}: {fault}")
    for one, other in combinations(patterns, 2):
        if Pattern(one).intersects(Pattern(other)):
            problem = "match the same URIs, whose samples would go over twice: leave one out"
            raise BridgeSettingError(f"{setting}: {one!r} and {other!r} {problem}")
