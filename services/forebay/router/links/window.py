"""What was sent over a link, kept until the other router has it; and what of theirs has come."""

from dataclasses import dataclass

from forebay.pb.router.v1 import router_pb2 as pb

MOST_FRAMES = 256
"""Frames without an acknowledgement, beyond which no more are sent, unless said otherwise."""


@dataclass(frozen=True)
class RetrySettings:
    """How a link makes up for what is lost on the way."""

    attempts: int = 5
    """How often something is sent before the network counts as cut."""
    interval: float = 1.0
    """Seconds that an acknowledgement may take."""


@dataclass(slots=True)
class Frame:
    """A message that was sent, under its number."""

    told: pb.LinkRequest
    sent: float
    """When it was sent last, by the monotonic clock."""
    tries: int = 1


class LinkWindow:
    """Both directions of the traffic between two routers. It outlives the streams that carry it."""

    def __init__(self, retry: RetrySettings, epoch: int) -> None:
        """`epoch` tells these numbers from those of other windows of ours."""
        self.received = 0
        """Highest number of theirs that has come without a gap."""
        self.most = MOST_FRAMES
        """Frames that may be on their way; fewer where the transport can take no more at once."""
        self.retry = retry
        """May be replaced at any time."""
        self._epoch = epoch
        self._theirs = 0
        """Their epoch."""
        self._next = 1
        self._frames: dict[int, Frame] = {}
        """In the order of their numbers."""

    @property
    def full(self) -> bool:
        """Nothing more may be sent for now."""
        return len(self._frames) >= self.most

    def send(self, told: pb.LinkRequest, now: float) -> Frame:
        """Number a message, and keep it."""
        told.number, told.epoch = self._next, self._epoch
        frame = self._frames[self._next] = Frame(told, now)
        self._next += 1
        return frame

    @property
    def base(self) -> int:
        """Lowest number that may still be sent."""
        return next(iter(self._frames), self._next)

    def acknowledge(self, received: int) -> None:
        """The other router has all up to this number."""
        while self._frames and (number := next(iter(self._frames))) <= received:
            del self._frames[number]

    def accept(self, told: pb.LinkRequest | pb.LinkResponse) -> bool:
        """A numbered message has come; whether it is its turn. Otherwise it has come before, or will again."""
        if told.epoch != self._theirs:
            self._theirs, self.received = told.epoch, 0
        self.received = max(self.received, told.base - 1)
        if told.number != self.received + 1:
            return False
        self.received = told.number
        return True

    def overdue(self, now: float) -> list[Frame]:
        """What has to be sent again; none of them is due again before another interval has passed."""
        first = next(iter(self._frames.values()), None)
        if first is None or now - first.sent < self.retry.interval:
            return []
        return self.again(now)

    def again(self, now: float) -> list[Frame]:
        """All that has no acknowledgement, to be sent now."""
        frames = list(self._frames.values())
        for frame in frames:
            frame.sent = now
            frame.tries += 1
        return frames

    @property
    def exhausted(self) -> bool:
        """Something was sent as often as may be."""
        first = next(iter(self._frames.values()), None)
        return first is not None and first.tries > self.retry.attempts

    def give_up(self) -> list[pb.Freight]:
        """Forget what has no acknowledgement, and tell what freight there was."""
        left = [frame.told.freight for frame in self._frames.values() if frame.told.HasField("freight")]
        self._frames.clear()
        return left
