"""The conduits of peers as their receivers see them, and what becomes of the numbered messages that come over them."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Protocol, cast

from forebay.conduit.core.conduits.numbers import Numbers
from forebay.conduit.core.conduits.reassembly import Pieces
from forebay.conduit.core.conduits.receive import Answer, ReceiveConduit
from forebay.conduit.core.session.identity import life_of
from forebay.conduit.core.subscribers import Delivery, hand_over
from forebay.conduit.core.wire.extras import LONG_NUMBER_BITS
from forebay.conduit.core.wire.messages import AckNack, CloseReason, Data, Declare, WriteData
from forebay.conduit.core.wire.ownmessages import BatchData, ConduitClose, Fragment, Migrate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forebay.conduit.core.session.peer import Peer
    from forebay.conduit.core.settings import NodeSettings
    from forebay.conduit.core.subscribers import Guard, Recipients
    from forebay.conduit.core.wire.messages import NumberedMessage, Synch


class Declarations(Protocol):
    """Knows whom samples are for, and takes what is no sample."""

    def recipients(self, peer: Peer, sample: Data | WriteData) -> Recipients:
        """The node's own subscribers of a sample."""
        ...

    def agrees(self, peer: Peer, message: NumberedMessage) -> bool:
        """Whether such a message was agreed on with the peer."""
        ...

    def receive(self, peer: Peer, message: NumberedMessage, now: float) -> bool:
        """Any message but a sample. Whether it was taken: if not, it comes again."""
        ...


class Reception:
    """Conduits in by peer and number; they come into being as they are used."""

    def __init__(self, settings: NodeSettings, declarations: Declarations, admits: Callable[[Guard], bool]) -> None:
        """`admits`: whether all that a guard names fits into the windows."""
        self.ignored = 0
        """Messages over conduits with numbers too high."""
        self.refused = 0
        """Samples that subscribers did not take."""
        self.pieces = Pieces(settings)
        self._settings = settings
        self._numbers = Numbers(settings.number_bits)
        self._long_numbers = Numbers(LONG_NUMBER_BITS)
        self._declarations = declarations
        self._admits = admits
        self._conduits: dict[Peer, dict[int, ReceiveConduit]] = {}
        self._earlier: dict[tuple[bytes, int | None], dict[int, ReceiveConduit]] = {}
        """What the conduits of peers without a session have come to, by peer id and life."""
        self._late: dict[tuple[Peer, int], ReceiveConduit] = {}
        """Conduits with a request that was held back."""

    @property
    def lost(self) -> int:
        """Reliable samples that peers no longer had when they were asked for."""
        return sum(conduit.lost for conduits in list(self._conduits.values()) for conduit in list(conduits.values()))

    def numbered(self, peer: Peer, messages: Sequence[NumberedMessage], now: float) -> list[AckNack]:
        """Take messages of one conduit, all reliable or all not; returns what to answer."""
        first = messages[0]
        conduit = self._conduit(peer, first.conduit)
        if conduit is None or not conduit.busy.acquire(blocking=False):
            return []
        try:
            if first.reliable:
                self._deliver(peer, conduit, conduit.arrive(messages), now)
            else:
                self._deliver_unreliable(peer, conduit, conduit.fresh(messages), now)
        finally:
            conduit.busy.release()
        if not first.reliable:
            return []
        asked = messages[-1].s or any(message.s for message in messages)
        answers = self._answer(peer, first.conduit, conduit, conduit.answer(now, asked=asked or conduit.closed))
        if conduit.closed:
            self._end(peer, first.conduit)
        return answers

    def synch(self, peer: Peer, message: Synch, now: float) -> tuple[list[AckNack], bool]:
        """A peer tells how far its numbers go; returns what to answer, and whether the session is in doubt."""
        conduit = self._conduit(peer, message.conduit)
        if conduit is None or not message.reliable or not conduit.busy.acquire(blocking=False):
            return [], False
        try:
            agrees = conduit.synch(message.number, message.unacked or 0, now)
        finally:
            conduit.busy.release()
        answer = conduit.answer(now, asked=message.s, synch=True)
        return self._answer(peer, message.conduit, conduit, answer), not agrees

    def housekeep(self, now: float) -> list[tuple[Peer, AckNack]]:
        """The requests that have been held back long enough."""
        self.pieces.housekeep(now)
        found = []
        for (peer, number), conduit in list(self._late.items()):
            if conduit.nack_due <= now:
                del self._late[peer, number]
                found += [(peer, answer) for answer in self._answer(peer, number, conduit, conduit.answer(now))]
        return found

    def due(self) -> float:
        """When `housekeep` has something to do."""
        late = min((conduit.nack_due for conduit in list(self._late.values())), default=inf)
        return min(late, self.pieces.due())

    def dismiss(self, peer: Peer) -> None:
        """The session has ended."""
        conduits = self._conduits.pop(peer, {})
        for number in conduits:
            self._late.pop((peer, number), None)
        self.pieces.dismiss(peer)
        self._remember(peer, conduits)

    def _conduit(self, peer: Peer, number: int) -> ReceiveConduit | None:
        conduits = self._conduits.get(peer) or self._of(peer)
        conduit = conduits.get(number)
        if conduit is None and number < self._settings.conduits_in:
            unicast = self._settings.unicast
            numbers = self._long_numbers if number == peer.long_conduit else self._numbers
            conduit = conduits[number] = ReceiveConduit(numbers, unicast.reorder_samples, unicast.round_trip)
        if conduit is None:
            self.ignored += 1
        return conduit

    def _of(self, peer: Peer) -> dict[int, ReceiveConduit]:
        if peer not in self._conduits:
            # A session that this one replaces may not have been dismissed yet.
            for before in [each for each in self._conduits if each.peer_id == peer.peer_id]:
                self._remember(before, self._conduits[before])
            self._conduits[peer] = self._earlier.pop((peer.peer_id, life_of(peer.remote_session)), {})
        return self._conduits[peer]

    def _remember(self, peer: Peer, conduits: dict[int, ReceiveConduit]) -> None:
        """A peer that does not restart counts on over its conduits to all: nothing comes twice in its next session."""
        unicast = peer.extras.conduits or len(self._settings.multicast)
        kept = {number: conduit.successor() for number, conduit in conduits.items() if number != unicast}
        while len(self._earlier) >= self._settings.session.max_peers:
            del self._earlier[next(iter(self._earlier))]
        self._earlier[peer.peer_id, life_of(peer.remote_session)] = kept

    def _answer(self, peer: Peer, number: int, conduit: ReceiveConduit, answer: Answer | None) -> list[AckNack]:
        if conduit.nack_due < inf:
            self._late[peer, number] = conduit
        return [] if answer is None else [AckNack(number, answer.number, answer.mask)]

    def _deliver(self, peer: Peer, conduit: ReceiveConduit, ready: Sequence[NumberedMessage], now: float) -> None:
        place = 0
        while place < len(ready):
            run = _run(ready, place)
            accepted = self._deliver_run(peer, conduit, run, conduit.taken, now)
            # At once: what has been delivered is not delivered again, even if the next handler fails.
            conduit.accept(len(run), accepted)
            place += accepted
            if accepted < len(run):
                self.refused += 1
                return

    def _deliver_unreliable(
        self, peer: Peer, conduit: ReceiveConduit, fresh: Sequence[NumberedMessage], now: float
    ) -> None:
        """What is not taken does not come again."""
        place = 0
        while place < len(fresh):
            run = _run(fresh, place)
            accepted = self._deliver_run(peer, conduit, run, set(), now)
            self.refused += accepted < len(run)
            place += min(accepted + 1, len(run))

    def _deliver_run(
        self, peer: Peer, conduit: ReceiveConduit, run: Sequence[NumberedMessage], taken: set[int], now: float
    ) -> int:
        first = run[0]
        if not isinstance(first, Fragment):
            self.pieces.interrupted(peer, first.conduit, reliable=first.reliable)
        if not isinstance(first, (Data, WriteData)):
            return self._deliver_other(peer, conduit, first, taken, now)
        return self._deliver_samples(peer, run, taken)

    def _deliver_samples(self, peer: Peer, run: Sequence[NumberedMessage], taken: set[int]) -> int:
        first = cast("Data | WriteData", run[0])
        subscriptions, rid, uri = self._declarations.recipients(peer, first)
        if not subscriptions:
            return len(run)
        payloads = [sample.payload for sample in cast("Sequence[Data | WriteData]", run)]
        return hand_over(Delivery(peer.peer_id, rid, uri, payloads), subscriptions, self._admits, taken)

    def _deliver_other(
        self, peer: Peer, conduit: ReceiveConduit, message: NumberedMessage, taken: set[int], now: float
    ) -> int:
        if not isinstance(message, Declare) and not self._declarations.agrees(peer, message):
            # As a zhe program does.
            reason = f"it sent a {type(message).__name__} without an agreement on such"
            peer.expire(reason, CloseReason.PROTOCOL)
            return 0
        match message:
            case Fragment():
                return self._deliver_piece(peer, message, taken, now)
            case BatchData():
                return self._deliver_batch(peer, conduit, message, taken, now)
            case ConduitClose():
                conduit.closed = True
                return 1
            case Migrate():
                return int(self._migrate(peer, message))
            case _:
                return int(self._declarations.receive(peer, message, now))

    def _deliver_batch(self, peer: Peer, conduit: ReceiveConduit, batch: BatchData, taken: set[int], now: float) -> int:
        """Its samples have one number, so none of them comes again before all have been refused or delivered."""
        samples, place = _unpacked(batch), conduit.part if batch.reliable else 0
        while place < len(samples):
            run = _run(samples, place)
            accepted = self._deliver_run(peer, conduit, run, taken, now)
            place += accepted
            if accepted == len(run):
                continue
            if batch.reliable:
                conduit.part = place
                return 0
            taken.clear()
            self.refused += 1
            place += 1
        if batch.reliable:
            conduit.part = 0
        return 1

    def _deliver_piece(self, peer: Peer, piece: Fragment, taken: set[int], now: float) -> int:
        room, sample = self.pieces.add(peer, piece, now)
        if sample is None:
            return int(room)
        accepted = self._deliver_samples(peer, [sample], taken)
        if accepted or not piece.reliable:
            self.pieces.delivered(peer, piece)
        return accepted

    def _migrate(self, peer: Peer, message: Migrate) -> bool:
        """What moves here comes after all that went over the old conduit: until that is there, this waits."""
        old = self._conduits[peer].get(message.old)
        if old is None or message.old == message.conduit:
            return True
        if not old.has_come_to(message.reliable_next):
            return False
        if message.rid is None:
            self._end(peer, message.old)
        return True

    def _end(self, peer: Peer, number: int) -> None:
        """The peer has closed a conduit. If it opens it again nothing comes twice."""
        conduits = self._conduits.get(peer, {})
        if number in conduits:
            conduits[number] = conduits[number].successor()
            self._late.pop((peer, number), None)


def _unpacked(batch: BatchData) -> Sequence[Data]:
    """The samples of a batch, all with its number."""
    prids = batch.prids or (None,) * len(batch.payloads)
    return [
        Data(batch.conduit, batch.reliable, batch.s, batch.number, batch.rid, prid, payload)
        for prid, payload in zip(prids, batch.payloads, strict=True)
    ]


def _run(ready: Sequence[NumberedMessage], place: int) -> Sequence[NumberedMessage]:
    """The samples from there on that are of the same resource as the first one; any other message is alone."""
    first = ready[place]
    if not isinstance(first, Data):
        return ready[place : place + 1]
    rid, prid, stop = first.rid, first.prid, place + 1
    while stop < len(ready) and isinstance(other := ready[stop], Data) and other.rid == rid and other.prid == prid:
        stop += 1
    return ready[place:stop] if place or stop < len(ready) else ready
