"""A message that came from a queue, and what is to become of it."""

from forebay.client.errors import SettledError
from forebay.client.settlements import Settlements
from forebay.pb.store.v1 import store_pb2 as pb


class Delivery:
    """One message of a consumption. Settle each once: until then it counts against the prefetch.

    What is settled after its connection was lost, or never, is delivered again. All three ways return at once and are
    gathered; `Consumption.flush` waits until they are durable. They raise `SettledError` the second time, and where
    deliveries count as acknowledged when they are sent.
    """

    __slots__ = ("_delivery", "_settlements")

    def __init__(self, delivery: pb.Delivery, settlements: Settlements | None) -> None:
        """`settlements` of its stream; None: it is settled already."""
        self._delivery = delivery
        self._settlements = settlements

    @property
    def raw(self) -> pb.Delivery:
        """As it came over the wire."""
        return self._delivery

    @property
    def message(self) -> pb.Message:
        """What was published."""
        return self._delivery.message

    @property
    def body(self) -> bytes:
        """What it says."""
        return self._delivery.message.body

    @property
    def deliveries(self) -> int:
        """How often it was delivered before."""
        return self._delivery.deliveries

    @property
    def position(self) -> int:
        """Its place in the queue; grows, not without gaps."""
        return self._delivery.position

    def ack(self) -> None:
        """Done with it: it is removed from the queue."""
        self._settled().ack(self._delivery.number)

    def requeue(self) -> None:
        """Not done with it: it goes back to its place, which counts as a delivery."""
        self._settled().requeue(self._delivery.number)

    def reject(self) -> None:
        """Not wanted: it is dead-lettered, or removed where the queue has no dead letters."""
        self._settled().reject(self._delivery.number)

    def _settled(self) -> Settlements:
        settlements, self._settlements = self._settlements, None
        if settlements is None:
            raise SettledError(f"delivery {self._delivery.number} is settled already: settle each once")
        return settlements
