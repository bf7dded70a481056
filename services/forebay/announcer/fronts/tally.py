"""What a front has done so far."""

from dataclasses import dataclass


@dataclass(slots=True)
class Tally:
    """Counts since the start."""

    announces: int = 0
    """Announces that were carried out."""
    scrapes: int = 0
    """Scrapes that were answered."""
    failures: int = 0
    """Requests that were answered with a failure."""
    ignored: int = 0
    """Packets that were not answered, and connections that were not taken."""
