"""Messages to threads that are not known yet, while processes may still be about to attach."""

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.runtime.clock import Clock


class Limbo:
    """Holds messages for a while after the start, and after other routers were lost."""

    def __init__(self, clock: Clock, grace: float, most_octets: int) -> None:
        """`grace` is in seconds; `most_octets` is of all messages that are held."""
        self._clock = clock
        self._grace = grace
        self._most_octets = most_octets
        self._until = clock.monotonic()
        self._octets = 0
        self._held: dict[str, list[pb.Parcel]] = {}

    def configure(self, grace: float, most_octets: int) -> None:
        """Other limits, from the next time on."""
        self._grace, self._most_octets = grace, most_octets

    def open(self) -> None:
        """From now on messages are held, for the time of grace."""
        self._until = self._clock.monotonic() + self._grace

    @property
    def is_open(self) -> bool:
        """Whether messages are held now."""
        return self._clock.monotonic() < self._until

    def hold(self, name: str, parcel: pb.Parcel) -> bool:
        """Hold a parcel for the thread of a name; False when it is not held."""
        octets = len(parcel.messages)
        if not self.is_open or self._octets + octets > self._most_octets:
            return False
        self._held.setdefault(name, []).append(parcel)
        self._octets += octets
        return True

    def claim(self, name: str) -> list[pb.Parcel]:
        """A thread of that name is known now: what was held for it."""
        parcels = self._held.pop(name, [])
        self._octets -= sum(len(parcel.messages) for parcel in parcels)
        return parcels

    def expired(self) -> list[pb.Parcel]:
        """What was held in vain."""
        if self.is_open or not self._held:
            return []
        parcels = [parcel for held in self._held.values() for parcel in held]
        self._held.clear()
        self._octets = 0
        return parcels
