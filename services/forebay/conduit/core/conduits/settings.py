"""What can be set of a conduit; every conduit, and every peer's unicast conduit, may have its own."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.conduit.core.errors import SettingError

HEADER_OCTETS = 12
"""The most that a sample's header takes."""


@dataclass(frozen=True)
class ConduitSettings:
    """One conduit as its sender sees it, and what its receivers keep. Times are in seconds."""

    window_octets: int = 16384
    """Octets of samples, with their headers, that may be unacknowledged."""
    window_samples: int = 1600
    """Samples that may be unacknowledged; below half of what the numbers count."""
    drain_to: float = 0.0
    """A window that was full takes samples again when at most this part of its octets is unacknowledged; 0: none."""
    latency_budget: float = 0.010
    """How long a sample may wait for others to share its datagram; 0: never, infinity: until a flush."""
    mtu: int = 1472
    """Octets of the largest datagram."""
    number_bits: int = 14
    """Bits of a sample's number: 7, 14 or 28. No datagram may stay in the network for as long as half of the numbers
    take, less the window: at 200,000 samples a second that is 32 ms for 14 bits, and ten minutes for 28."""
    synch_interval: float = 0.010
    """When the first SYNCH goes out after samples were sent and nobody answered."""
    synch_longest: float = 1.0
    """What the interval grows to while no answer comes."""
    round_trip: float = 0.001
    """Estimate of a round trip: requests and repeats that follow the last one sooner are held back."""
    reorder_samples: int = 256
    """Samples that a receiver keeps because one before them is missing; 0: it drops them and asks for all."""

    def __post_init__(self) -> None:
        half = 1 << (self.number_bits - 1)
        if self.number_bits not in {7, 14, 28}:
            raise SettingError(f"number_bits is {self.number_bits}: take 7, 14 or 28")
        if not 0 < self.window_samples < half:
            raise SettingError(
                f"window_samples is {self.window_samples}: with numbers of {self.number_bits} bits take 1 to {half - 1}"
            )
        if not 0 <= self.reorder_samples < half:
            raise SettingError(
                f"reorder_samples is {self.reorder_samples}: "
                f"with numbers of {self.number_bits} bits take 0 to {half - 1}"
            )
        if self.window_octets < 1:
            raise SettingError(f"window_octets is {self.window_octets}: take 1 or more")
        if self.mtu <= HEADER_OCTETS:
            raise SettingError(f"mtu is {self.mtu}: take more than {HEADER_OCTETS} octets")
        if not 0.0 <= self.drain_to <= 1.0:
            raise SettingError(f"drain_to is {self.drain_to}: take 0 to 1")
