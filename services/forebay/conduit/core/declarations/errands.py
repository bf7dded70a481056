"""What is to be said to peers and to the node's owner: remembered by any thread, done by the one that keeps house."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Protocol

from forebay.conduit.core.session.peer import PeerState
from forebay.conduit.core.wire.extras import Extra, needed_for
from forebay.conduit.core.wire.messages import Declare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from forebay.conduit.core.conduits.forms import Unnumbered
    from forebay.conduit.core.declarations.events import DeclarationEvent
    from forebay.conduit.core.session.peer import Peer
    from forebay.conduit.core.wire.declarations import Declaration
    from forebay.conduit.core.wire.extras import Extras
    from forebay.conduit.core.wire.messages import Message


class Announcer(Protocol):
    """What the declarations need of a node. All but `wake` is called by the thread that keeps house."""

    def tell(self, peer: Peer, messages: Sequence[Unnumbered], now: float) -> None:
        """Send messages to one peer, by its own conduit, in order after all that it was told before."""
        ...

    def check(self, peer: Peer, message: Unnumbered) -> None:
        """Raises `SampleTooLargeError` when the peer can't be told that."""
        ...

    def has_room(self, peer: Peer) -> bool:
        """Whether nothing that the peer was told waits for room."""
        ...

    def acknowledged(self, peer: Peer) -> bool:
        """Whether the peer has acknowledged all that it was told."""
        ...

    def mark(self, peer: Peer, now: float) -> tuple[int, ...] | None:
        """How far everything has gone out that the peer gets; None: some of it waits for room."""
        ...

    def passed(self, peer: Peer, marks: tuple[int, ...]) -> bool:
        """Whether the peer has acknowledged all as far as that."""
        ...

    def agreement(self, peer: Peer) -> Extras:
        """Which extras were agreed with the peer; on any thread."""
        ...

    def note(self, event: DeclarationEvent) -> None:
        """Tell the owner."""
        ...

    def wake(self) -> None:
        """There is something to do for who keeps house."""
        ...


class Errands:
    """Done in their order."""

    def __init__(self, announcer: Announcer) -> None:
        self._announcer = announcer
        self._todo: deque[Callable[[float], None]] = deque()
        self._early: list[Callable[[float], None]] = []

    def tell(self, peer: Peer, *messages: Unnumbered) -> bool:
        """Messages for one peer; whether it takes such, by what was agreed with it: if not, none is sent."""
        if not self.agrees(peer, *messages):
            return False
        self.do(lambda now: self._tell(peer, messages, now))
        return True

    def agrees(self, peer: Peer, *messages: Message) -> bool:
        """Whether such messages were agreed on with a peer."""
        offered = self._announcer.agreement(peer).offered
        return not any(needed_for(message) & ~offered for message in messages)

    def knows_selections(self, peer: Peer) -> bool:
        """Whether an id may stand for something else with that peer than with others, in both directions."""
        return Extra.QUERIES in self._announcer.agreement(peer).offered

    def declare(self, peer: Peer, declarations: Iterable[Declaration], *, committed: bool = True) -> bool:
        """Declarations for one peer, in one message; whether it takes them."""
        return self.tell(peer, Declare(0, False, committed, 0, tuple(declarations)))

    def check(self, peer: Peer, message: Unnumbered) -> None:
        """Raises `SampleTooLargeError` when the peer can't be told that."""
        self._announcer.check(peer, message)

    def note(self, event: DeclarationEvent) -> None:
        """Something for the owner."""
        self.do(lambda _: self._announcer.note(event))

    def do(self, errand: Callable[[float], None]) -> None:
        """Anything else."""
        self._todo.append(errand)
        self._announcer.wake()

    def wake(self) -> None:
        """Times have changed at which there is something to do."""
        self._announcer.wake()

    def run(self, now: float) -> None:
        """Do all of them."""
        while self._todo:
            self._todo.popleft()(now)
        early, self._early = self._early, []
        for errand in early:
            self.do(errand)

    def _tell(self, peer: Peer, messages: Sequence[Unnumbered], now: float) -> None:
        if peer.state is not PeerState.ESTABLISHED:
            return
        if peer.announced:
            self._announcer.tell(peer, messages, now)
        else:
            # It said something before the node has begun to speak to it.
            self._early.append(lambda later: self._tell(peer, messages, later))
