"""What can be set of a node."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forebay.conduit.core.conduits.settings import ConduitSettings
from forebay.conduit.core.declarations.settings import DeclarationSettings
from forebay.conduit.core.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from forebay.conduit.core.session.settings import SessionSettings

MOST_CONDUITS = 255


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

    @property
    def number_bits(self) -> int:
        """Bits of the numbers of samples."""
        return self.unicast.number_bits
