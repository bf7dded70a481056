"""How fast messages come and go, and how many of them may therefore be in memory."""

from math import inf

from forebay.runtime.clock import Clock

HALF_LIFE = 5.0
"""Seconds after which what happened weighs half."""

PUBLISHES = 100
"""Publishes after which the averages are renewed, whatever the time."""


class Rates:
    """Exponential averages of four rates, in messages a second, and the target made of them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since = clock.monotonic()
        self._duration = inf
        self.arrived = 0
        """Messages that came in since the averages were renewed; the three below likewise."""
        self.left = 0
        self.handed = 0
        self.acknowledged = 0
        self.ingress = self.egress = self.ack_ingress = self.ack_egress = 0.0
        self.target: float = inf
        """Messages that may be in memory."""

    @property
    def total(self) -> float:
        """All four rates together."""
        return self.ingress + self.egress + self.ack_ingress + self.ack_egress

    @property
    def acks_grow_faster(self) -> bool:
        """Held messages become more, faster than ready ones do."""
        return self.ack_ingress - self.ack_egress > self.ingress - self.egress

    def set_duration(self, duration: float) -> None:
        """Seconds of coming and going to keep in memory."""
        self._duration = duration
        self._aim()

    def update(self) -> None:
        """Renew the averages."""
        now = self._clock.monotonic()
        seconds = now - self._since
        if seconds <= 0:
            return
        weight = 0.5 ** (seconds / HALF_LIFE)
        fresh = (1 - weight) / seconds
        self.ingress = self.ingress * weight + self.arrived * fresh
        self.egress = self.egress * weight + self.left * fresh
        self.ack_ingress = self.ack_ingress * weight + self.handed * fresh
        self.ack_egress = self.ack_egress * weight + self.acknowledged * fresh
        self.arrived = self.left = self.handed = self.acknowledged = 0
        self._since = now
        self._aim()

    def _aim(self) -> None:
        self.target = inf if self._duration == inf else int(self._duration * self.total)
