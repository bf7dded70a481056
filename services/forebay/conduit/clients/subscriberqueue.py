"""What a subscriber gets, until it is read: as much as may wait, and what becomes of more."""

from __future__ import annotations

from collections import deque
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebay.conduit.core.subscribers import Delivery


class Slow(Enum):
    """What becomes of samples that come while as many wait as may."""

    END = "end"
    """None is taken any more: the subscriber is told so once it has read those that wait."""
    DROP = "drop"
    """The oldest are dropped, and counted."""
    HOLD = "hold"
    """They stay with their senders."""


class SubscriberQueue:
    """Deliveries in the order in which they came."""

    def __init__(self, limit: int, slow: Slow) -> None:
        """`limit`: samples that wait."""
        self.wake: Callable[[], None] = _nobody
        """Called when there is something to read."""
        self.overrun = False
        """With END: more have come than may wait."""
        self.missed = 0
        """With DROP: samples that were dropped since the last `take_missed`."""
        self.samples = 0
        """How many wait."""
        self._limit = limit
        self._slow = slow
        self._waiting: deque[Delivery] = deque()

    def put(self, delivery: Delivery) -> int:
        """The node's handler: how many samples are taken."""
        if self.overrun:
            return len(delivery.payloads)
        over = self.samples + len(delivery.payloads) - self._limit
        if over > 0:
            return self._overfull(delivery, over)
        return self._add(delivery)

    def drain(self, samples: int, octets: int) -> list[Delivery]:
        """Take the oldest deliveries: about so many samples, and octets of them, but at least one sample."""
        taken: list[Delivery] = []
        while self._waiting and samples > 0 and octets > 0:
            delivery = self._waiting.popleft()
            part = _fitting(delivery.payloads, samples, octets)
            if part < len(delivery.payloads):
                self._waiting.appendleft(delivery._replace(payloads=delivery.payloads[part:]))
                delivery = delivery._replace(payloads=delivery.payloads[:part])
            taken.append(delivery)
            self.samples -= part
            samples -= part
            octets -= sum(map(len, delivery.payloads))
        return taken

    def take_missed(self) -> int:
        """Samples that were dropped since the last call."""
        missed, self.missed = self.missed, 0
        return missed

    def _add(self, delivery: Delivery) -> int:
        if delivery.payloads:
            self.samples += len(delivery.payloads)
            self._waiting.append(delivery)
            self.wake()
        return len(delivery.payloads)

    def _overfull(self, delivery: Delivery, over: int) -> int:
        match self._slow:
            case Slow.HOLD:
                return self._add(delivery._replace(payloads=delivery.payloads[:-over]))
            case Slow.DROP:
                whole = len(delivery.payloads)
                self._drop(min(over, self.samples))
                self.missed += max(0, whole - self._limit)
                self._add(delivery._replace(payloads=delivery.payloads[-self._limit :]))
                return whole
            case Slow.END:
                self.overrun = True
                self.wake()
                return len(delivery.payloads)

    def _drop(self, count: int) -> None:
        """The oldest that wait."""
        self.missed += count
        self.samples -= count
        while count:
            oldest = self._waiting.popleft()
            if len(oldest.payloads) > count:
                self._waiting.appendleft(oldest._replace(payloads=oldest.payloads[count:]))
                return
            count -= len(oldest.payloads)


def _fitting(payloads: list[bytes], samples: int, octets: int) -> int:
    """How many of the first samples go; at least one."""
    if len(payloads) <= samples and sum(map(len, payloads)) <= octets:
        return len(payloads)
    for place, payload in enumerate(payloads[:samples]):
        octets -= len(payload)
        if octets < 0:
            return max(1, place)
    return min(samples, len(payloads))


def _nobody() -> None:
    """Nobody reads."""
