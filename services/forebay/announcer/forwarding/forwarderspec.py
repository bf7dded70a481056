"""One upstream tracker as its resource tells it."""

from dataclasses import dataclass

from forebay.announcer.forwarding.failurepolicy import NOTHING_OWN, OwnPolicy


@dataclass(frozen=True, slots=True)
class ForwarderSpec:
    """Where announces go, and how. Two that differ in anything are different trackers."""

    name: str
    """Of its own among the forwarders of an announcer."""
    url: str
    """http, https or udp, with its path and query as the tracker gave it."""
    host: str = ""
    """The Host header where it is not the URL's; the URL's host is what is connected to."""
    ip: str = ""
    """The address that the tracker is told to give to peers; empty: the one that it sees."""
    timeout: float = 30
    """Seconds for a request from its start to the end of the answer."""
    own: OwnPolicy = NOTHING_OWN
    """What of the failure policy is otherwise for it."""
