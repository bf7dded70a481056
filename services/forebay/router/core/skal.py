"""Names of the router's own messages and alarms, and what they stand for."""

from forebay.pb.router.v1 import router_pb2 as pb

XOFF = "skal-xoff"
NTF_XON = "skal-ntf-xon"
XON = "skal-xon"

SIGNAL_NAMES: dict[int, str] = {
    pb.SIGNAL_KIND_XOFF: XOFF,
    pb.SIGNAL_KIND_NTF_XON: NTF_XON,
    pb.SIGNAL_KIND_XON: XON,
}

DROP_NO_RECIPIENT = "skal-drop-no-recipient"
DROP_NO_NETWORK = "skal-drop-no-network"
DROP_SHUTDOWN = "skal-msg-drop-shutdown"
DROP_TTL = "skal-drop-ttl"
DROP_FULL = "skal-drop-full"
"""No notice, but counted like one: what a router cannot take, since too much waits already."""

DROP_NAMES: dict[int, str] = {
    pb.OUTCOME_NO_RECIPIENT: DROP_NO_RECIPIENT,
    pb.OUTCOME_NO_NETWORK: DROP_NO_NETWORK,
    pb.OUTCOME_SHUTDOWN: DROP_SHUTDOWN,
    pb.OUTCOME_TTL: DROP_TTL,
}
"""The notice that a sender gets, by what became of its message."""

ALARM_DUPLICATE_THREAD = "skal-conflict-duplicate-thread"
ALARM_BAD_GROUP = "skal-protocol-bad-group"
ALARM_WRONG_SENDER = "skal-protocol-wrong-sender"
ALARM_NO_HEARTBEAT = "skal-process-no-heartbeat"
ALARM_PROCESS_CRASHED = "skal-process-crashed"
ALARM_THREAD_CRASHED = "skal-thread-crashed"
ALARM_BLOCK_LIMIT = "skal-block-limit"
ALARM_DROP_TTL = "skal-drop-ttl"
ALARM_STALLED = "skal-process-stalled"
ALARM_LINK_DOWN = "skal-link-down"

DEFAULT_TTL = 4
"""Routers that a message may pass."""
CONTROL_TTL = 16
"""The same for signals and receipts: more than any message has passed, since they have to get back."""
