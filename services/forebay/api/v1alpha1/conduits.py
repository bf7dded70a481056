"""What a ConduitNode sets of its conduits, and of what it offers to nodes of its own kind."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, ClassVar

from forebay.api.model import Model
from forebay.api.rules import NotAbove, Rule
from forebay.api.v1alpha1.spill import MEBIBYTE
from forebay.api.values import Flag, Number, Size, Span, Text, Whole

PeerId = Annotated[
    str, Text(r"^([0-9a-f]{2}){1,16}$", "1 to 16 octets as pairs of hexadecimal digits, as 0a1b2c", longest=32)
]


class SynchPace(Model):
    """How soon a sender asks peers what they have."""

    rules: ClassVar[tuple[Rule, ...]] = (NotAbove("interval", "longest"),)

    interval: Annotated[timedelta, Span("1ms", "1m")] = timedelta(milliseconds=10)
    """Time after samples were sent and nobody answered."""
    longest: Annotated[timedelta, Span("1ms", "5m")] = timedelta(seconds=1)
    """What that grows to, doubling, while no answer comes."""


class Window(Model):
    """What may be on its way, not acknowledged yet. Whoever has it full waits, or does what `congestion` says."""

    size: Annotated[int, Size("256B", "256MiB")] = 16_384
    """Octets of samples with their headers."""
    samples: Annotated[int, Whole(1, 1_000_000, "samples")] = 1600
    """Samples: below 8,192 with standard `numbers`, and so in the conduit to one peer without `extras.longNumbers`."""
    drain_to: Annotated[float, Number(0, 1, "")] = 0.0
    """A window that was full takes samples again once this part of its size is left in it. 0: once it is empty."""


class Conduit(Model):
    """One conduit: its sender's window and pace, and what its receiver keeps."""

    window: Window = Window()
    """What may be on its way, not acknowledged yet."""
    latency_budget: Annotated[timedelta, Span("0s", "1m")] = timedelta(milliseconds=10)
    """How long a sample may wait for others to share its datagram. 0s: it goes at once."""
    packet_size: Annotated[int, Whole(128, 65_507, "octets")] = 1472
    """Octets of the largest datagram."""
    synch: SynchPace = SynchPace()
    """How soon the sender asks peers what they have."""
    round_trip: Annotated[timedelta, Span("0s", "1m")] = timedelta(milliseconds=1)
    """Estimate of a round trip: requests and repeats are at least so far apart."""
    reorder_samples: Annotated[int, Whole(0, 8191, "samples")] = 256
    """Samples that are kept of a peer while one before them is missing. 0: they are asked for again, too."""


class UnicastWindow(Window):
    """What may be on its way to one peer."""

    size: Annotated[int, Size("256B", "256MiB")] = 65_536
    """Octets of samples with their headers."""


class UnicastConduit(Conduit):
    """The conduit to one peer alone."""

    window: UnicastWindow = UnicastWindow()
    """What may be on its way, not acknowledged yet."""


class PeerConduit(UnicastConduit):
    """What differs for one peer."""

    peer_id: PeerId
    """Id of the peer, as `forebay conduit peers` shows it."""


class NumberLength(StrEnum):
    """How far samples are counted."""

    STANDARD = "standard"
    """14 bits."""
    LONG = "long"
    """28 bits."""


class Fragments(Model):
    """Samples larger than a datagram, which go in pieces to nodes that agree."""

    rules: ClassVar[tuple[Rule, ...]] = (NotAbove("maxSample", "buffer"),)

    enabled: Flag = True
    """Whether such samples are sent and taken."""
    max_sample: Annotated[int, Size("1KB", "256MiB")] = 4 * MEBIBYTE
    """Largest sample that is taken in pieces, and told to others."""
    buffer: Annotated[int, Size("1KB", "1GiB")] = 8 * MEBIBYTE
    """Memory for samples of one peer that are being put together."""
    timeout: Annotated[timedelta, Span("100ms", "1h")] = timedelta(seconds=10)
    """A sample that may be lost is, when its next piece does not come for so long."""


class Extras(Model):
    """What is offered to nodes of our own kind. Programs with zhe's protocol alone are spoken to without."""

    long_numbers: Flag = True
    """Samples to one peer alone are counted in 28 bits, for fast or slow networks."""
    history: Flag = True
    """Subscribers that come later get the last samples that they ask for."""
    liveliness: Flag = True
    """Tokens that tell who is alive."""
    queries: Flag = True
    """Selections, bindings, queries and pulls."""
    fragments: Fragments = Fragments()
    """Samples larger than a datagram."""
