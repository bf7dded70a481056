"""Forwarder: one upstream tracker that an Announcer passes announces on to."""

from datetime import timedelta
from ipaddress import ip_address
from typing import Annotated, ClassVar, Literal

from forebay.api.model import Model
from forebay.api.rules import Immutable, Transition
from forebay.api.v1alpha1.metadata import BLANKS, WORD, Reference, Resource
from forebay.api.values import Flag, ParsedText, Span, Text, Whole

_HOST = rf"(\[[0-9A-Fa-f:.]+\]|[^{BLANKS}:@/?#\[\]]+)"
TrackerUrl = Annotated[
    str,
    Text(
        rf"^(https?://{_HOST}(:[0-9]{{1,5}})?|udp://{_HOST}:[0-9]{{1,5}})([/?][^{BLANKS}#]*)?$",
        "http://HOST:PORT/announce, https://HOST/announce or udp://HOST:PORT, with the path and query of the tracker",
        longest=2048,
        secret=True,
    ),
]
"""It may hold a passkey: it is not quoted in errors."""
IpAddress = Annotated[
    str,
    ParsedText(
        r"^([0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*)$",
        "an IP address, as 203.0.113.7 or 2001:db8::7",
        longest=45,
        parse=ip_address,
    ),
]


class FailurePolicy(Model):
    """What of the Announcer's policy on failures differs for this tracker."""

    suspension: Annotated[timedelta, Span("1s", "24h")] | None = None
    """How long it rests after an answer 429, unless it says itself how long. Left out: as the Announcer says."""
    attempts: Annotated[int, Whole(1, 20, "requests")] | None = None
    """How often a request is sent that fails for a reason which may pass. Left out: as the Announcer says."""
    retry_base: Annotated[timedelta, Span("10ms", "1m")] | None = None
    """The n-th repetition waits this long times 2 to the power of n. Left out: as the Announcer says."""
    fail_threshold: Annotated[int, Whole(0, 1000, "requests")] | None = None
    """Requests that failed in a row after which it is disabled. 0: never. Left out: as the Announcer says."""


class ForwarderSpec(Model):
    """An upstream tracker, and how it is asked."""

    transitions: ClassVar[tuple[Transition, ...]] = (Immutable("announcerRef", "its jobs wait there"),)

    announcer_ref: Reference
    """The Announcer that passes announces on to it."""
    url: TrackerUrl
    """Its announce URL: http, https or udp, with the path and query as the tracker gave it."""
    host_header: Annotated[str, Text(WORD, "a host name, with a port if need be", longest=255)] | None = None
    """The Host header where it is not the URL's host. The URL's host is what is connected to."""
    external_ip: IpAddress | None = None
    """The address that the tracker is told to give to peers. Left out: the one that it sees."""
    timeout: Annotated[timedelta, Span("1s", "5m")] = timedelta(seconds=30)
    """Time for a request from its start to the end of the answer."""
    pause: Flag = False
    """It gets no announces while this is true; what waits for it is dropped."""
    failure_policy: FailurePolicy = FailurePolicy()
    """What of the Announcer's policy on failures differs for this tracker."""


class Forwarder(Resource):
    """One upstream tracker that an Announcer passes announces on to."""

    parents: ClassVar[dict[str, str]] = {"announcerRef": "Announcer"}

    kind: Literal["Forwarder"] = "Forwarder"
    """What it is."""
    spec: ForwarderSpec
    """What it is to be."""
