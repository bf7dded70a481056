"""What a queue should hold, in plain Python."""

from dataclasses import dataclass, replace


@dataclass
class Message:
    """One message as the model knows it."""

    content: bytes
    id: bytes
    stored: bool
    expiry: int
    persistent: bool
    handed: int = 0
    """Deliveries so far."""


class QueueModel:
    """Messages by sequence number, and where each is."""

    def __init__(self):
        self.messages: dict[int, Message] = {}
        self.arriving: set[int] = set()
        self.held: set[int] = set()
        self.durable: dict[int, Message] = {}

    @property
    def ready(self):
        return sorted(self.messages.keys() - self.arriving - self.held)

    def octets(self, seqs):
        return sum(len(self.messages[seq].content) for seq in seqs)

    def publish(self, first, arrivals):
        for seq, arrival in enumerate(arrivals, first):
            stored = not arrival.embedded
            self.messages[seq] = Message(arrival.content, arrival.id, stored, arrival.expiry, arrival.persistent)
            self.arriving.add(seq)

    def written(self):
        """All that has happened is on the disk."""
        self.durable = {seq: replace(message) for seq, message in self.messages.items() if message.persistent}

    def settle(self):
        self.written()
        self.arriving.clear()

    def hand_out(self, seqs, *, counted):
        self.held.update(seqs)
        for seq in seqs:
            self.messages[seq].handed += counted

    def requeue(self, seqs):
        self.held.difference_update(seqs)

    def remove(self, seqs):
        self.held.difference_update(seqs)
        for seq in seqs:
            del self.messages[seq]

    def expired(self, now):
        return [seq for seq in self.ready if 0 < self.messages[seq].expiry <= now]

    def restart(self):
        """Only what the disk has is left."""
        self.messages = {seq: replace(message) for seq, message in self.durable.items()}
        self.arriving.clear()
        self.held.clear()
