"""What a node tells its owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebay.conduit.core.conduits.reassembly import SampleLoss
    from forebay.conduit.core.declarations.events import DeclarationEvent
    from forebay.conduit.core.session.events import PeerEvent


class Listener:
    """Hears nothing: override what is of interest. All of it is called on the thread that keeps house and writes."""

    def peer_changed(self, event: PeerEvent) -> None:
        """A peer has connected, disconnected or reconnected."""

    def declaration_changed(self, event: DeclarationEvent) -> None:
        """Something was declared, forgotten, refused, or contradicts another declaration."""

    def sample_lost(self, loss: SampleLoss) -> None:
        """A sample came in pieces, and not all of them: nothing of it was handed over."""

    def spill(self, publisher: int, samples: Sequence[bytes]) -> None:
        """Lay samples of a publisher aside, behind those that were laid aside before."""

    def room(self, publisher: int) -> None:
        """There is room for samples of a publisher that were laid aside: see `Node.unspill`."""
