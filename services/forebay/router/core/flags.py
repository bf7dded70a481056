"""What a message is allowed and asked to do."""

from enum import IntFlag

from forebay.pb.router.v1 import router_pb2 as pb


class Flag(IntFlag):
    """Bits that may be put together by `|`."""

    NONE = 0
    OUT_OF_ORDER_OK = pb.FLAG_OUT_OF_ORDER_OK
    """It may overtake others of its sender, and be overtaken."""
    DROP_OK = pb.FLAG_DROP_OK
    """It is sent once: when it is lost on the way, nobody repeats it."""
    NOTIFY_DROP = pb.FLAG_NOTIFY_DROP
    """The sender is told when it is dropped."""
    URGENT = pb.FLAG_URGENT
    """The recipient handles it before those that are not urgent."""
    MULTICAST = pb.FLAG_MULTICAST
    """It goes to all members of a group. Set by `Thread.multicast`."""
    REQUEST = pb.FLAG_REQUEST
    """Its sender waits for a reply. Set by `Thread.request`."""
    REPLY = pb.FLAG_REPLY
    """It is the reply to a request. Set by `Thread.reply`."""


# The enumeration's own operators take half a microsecond: too long for what is done with every message.
OUT_OF_ORDER_OK = int(Flag.OUT_OF_ORDER_OK)
DROP_OK = int(Flag.DROP_OK)
NOTIFY_DROP = int(Flag.NOTIFY_DROP)
URGENT = int(Flag.URGENT)
MULTICAST = int(Flag.MULTICAST)
REQUEST = int(Flag.REQUEST)
REPLY = int(Flag.REPLY)
