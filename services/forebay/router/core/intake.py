"""What the recipient's library takes of what comes: each message once, and in order unless that does not matter."""

from collections import OrderedDict
from enum import Enum
from typing import NamedTuple

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.flags import OUT_OF_ORDER_OK

MOST_SOURCES = 65_536
"""Senders that are remembered; whoever was silent for longest is forgotten first."""
MOST_EARLY = 1024
"""Runs of messages that may be taken ahead of others, from one sender."""


class Verdict(Enum):
    """What becomes of a parcel."""

    TAKE = "take"
    """Its messages are new, but for the first `skip`."""
    REPEAT = "repeat"
    """All of them were taken before; the sender has to be told so again."""
    GAP = "gap"
    """Others have to come before: the sender has to send again from `expected`."""


class Judgement(NamedTuple):
    """A verdict on a parcel."""

    verdict: Verdict
    skip: int = 0
    """Messages at the front that are passed over."""
    expected: int = 0
    """With GAP: sequence that has to come first."""


_TAKE_ALL = Judgement(Verdict.TAKE)
_REPEAT = Judgement(Verdict.REPEAT)


class Source:
    """What has come from one incarnation of a sender to one recipient."""

    __slots__ = ("_early", "expected")

    def __init__(self, expected: int) -> None:
        self.expected = expected
        """Lowest sequence that has not come, and still may."""
        self._early: dict[int, int] = {}
        """Runs that were taken ahead: first sequence and the one after the last."""

    def judge(self, first: int, count: int, floor: int, *, any_order: bool) -> Judgement:
        """Look at a run of messages, and remember it if it is taken.

        floor: lowest sequence that may still come. any_order: it need not wait for others.
        """
        end = first + count
        if (floor := min(floor, first)) > self.expected:
            self._reach(floor)
        if end <= self.expected or self._early.get(first) == end:
            return _REPEAT
        if first <= self.expected:
            skip = self.expected - first
            self._reach(end)
            return Judgement(Verdict.TAKE, skip) if skip else _TAKE_ALL
        if any_order and len(self._early) < MOST_EARLY:
            self._early[first] = end
            return _TAKE_ALL
        return Judgement(Verdict.GAP, expected=self.expected)

    def follow(self, first: int, count: int) -> bool:
        """Take a run if it is the very next and nothing was taken ahead: that is how nearly all come."""
        if first != self.expected or self._early:
            return False
        self.expected = first + count
        return True

    def _reach(self, sequence: int) -> None:
        """All before this have come; so have runs behind it that were taken ahead."""
        self.expected = sequence
        early = self._early
        while early and (first := min(early)) <= self.expected:
            self.expected = max(self.expected, early.pop(first))


class Intake:
    """The sources of all that comes to one process."""

    def __init__(self) -> None:
        self._sources: OrderedDict[tuple[str, int, str], Source] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sources)

    def judge(self, parcel: pb.Parcel) -> Judgement:
        """Look at a parcel, and remember it if it is taken."""
        key = (parcel.sender, parcel.incarnation, parcel.recipient)
        first, floor = parcel.first, parcel.floor
        if source := self._sources.get(key):
            self._sources.move_to_end(key)
            if source.follow(first, parcel.count):
                return _TAKE_ALL
        else:
            # What is below was dropped, or received by another who had the recipient's name.
            source = self._open(key, min(floor, first))
        return source.judge(first, parcel.count, floor, any_order=parcel.flags & OUT_OF_ORDER_OK != 0)

    def _open(self, key: tuple[str, int, str], expected: int) -> Source:
        source = self._sources[key] = Source(expected)
        if len(self._sources) > MOST_SOURCES:
            self._sources.popitem(last=False)
        return source

    def forget_recipient(self, recipient: str) -> None:
        """A thread of ours has ended: whoever takes its name has received nothing."""
        for key in [key for key in self._sources if key[2] == recipient]:
            del self._sources[key]
