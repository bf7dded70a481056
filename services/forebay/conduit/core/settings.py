"""What can be set of a node."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from forebay.conduit.core.conduits.settings import HEADER_OCTETS, ConduitSettings
from forebay.conduit.core.declarations.settings import DeclarationSettings
from forebay.conduit.core.errors import SettingError
from forebay.conduit.core.wire.authentication import OVERHEAD
from forebay.conduit.core.wire.extras import Extra

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from forebay.conduit.core.sealing import Authentication
    from forebay.conduit.core.session.settings import SessionSettings

MOST_CONDUITS = 255
DECLARATION_OCTETS = 48
"""The most that a declaration takes beside its URI."""


@dataclass(frozen=True)
class NodeSettings:
    """A node: its sessions and its conduits."""

    session: SessionSettings
    multicast: tuple[ConduitSettings, ...] = (ConduitSettings(), ConduitSettings())
    """The conduits to all peers, by their number."""
    unicast: ConduitSettings = field(default_factory=lambda: ConduitSettings(window_octets=65536))
    """The conduit to each peer; on the wire it has the number after those to all."""
    unicast_by_peer: Mapping[bytes, ConduitSettings] = field(default_factory=dict)
    """Other settings for the conduits to certain peers, by peer id."""
    authentication: Authentication | None = None
    """With keys, every datagram is sealed, and none is taken that is not."""
    reassembly_octets: int = 8 << 20
    """Octets of samples of one peer that are being put together from pieces; no sample in pieces may be larger."""
    reassembly_seconds: float = 10.0
    """An unreliable sample is lost when its next piece does not come for so long. (A reliable one ends with its
    session.)"""
    conduits_in: int = 16
    """Conduits that are received of each peer; what comes over others is ignored."""
    group: Hashable = None
    """Multicast address; None where there is no multicast: what is for all then goes to each peer by itself."""
    declarations: DeclarationSettings = field(default_factory=DeclarationSettings)
    """Limits of what peers may declare."""
    offload_replies: bool = False
    """Whether what receiving answers (acknowledgements, repeats, PONGs) is left to housekeeping to send."""

    def __post_init__(self) -> None:
        conduits = [*self.multicast, self.unicast, *self.unicast_by_peer.values()]
        if len({conduit.number_bits for conduit in conduits}) != 1:
            raise SettingError("number_bits differs between conduits: give all conduits of a node the same")
        if not 1 <= len(self.multicast) <= MOST_CONDUITS:
            raise SettingError(f"multicast has {len(self.multicast)} conduits: take 1 to {MOST_CONDUITS}")
        header, mtu = HEADER_OCTETS + self._seal, min(each.mtu for each in conduits)
        if mtu <= header:
            raise SettingError(f"an mtu is {mtu}: take more than {header} octets")
        if self.reassembly_octets < self.largest_sample:
            least = f"largest_sample, which is {self.largest_sample}, or more"
            raise SettingError(f"reassembly_octets is {self.reassembly_octets}: take {least}")
        if self.reassembly_seconds <= 0:
            raise SettingError(f"reassembly_seconds is {self.reassembly_seconds}: take more than 0")

    @property
    def max_uri(self) -> int:
        """Characters of the longest URI that the node declares: its declaration fits into a datagram."""
        smallest = min(conduit.mtu for conduit in (self.unicast, *self.unicast_by_peer.values()))
        return max(1, min(self.declarations.max_uri, smallest - DECLARATION_OCTETS - self._seal))

    @property
    def offering(self) -> SessionSettings:
        """The settings of sessions, with the extras that are offered."""
        extras = self.session.extras
        offered = extras.offered & ~Extra.AUTHENTICATION
        if self.authentication:
            offered |= Extra.AUTHENTICATION
        return replace(self.session, extras=extras._replace(offered=offered))

    @property
    def largest_sample(self) -> int:
        """Octets of the largest sample that the node takes in pieces; 0: it takes none."""
        extras = self.session.extras
        return extras.largest_sample if Extra.FRAGMENTS in extras.offered else 0

    @property
    def _seal(self) -> int:
        return OVERHEAD if self.authentication else 0

    @property
    def number_bits(self) -> int:
        """Bits of the numbers of samples."""
        return self.unicast.number_bits
