"""What keeps a resource from being brought about, found before any service was asked."""

from typing import NamedTuple


class Fault(NamedTuple):
    """Makes Ready False."""

    reason: str
    """One word in CamelCase, as `NameTaken`."""
    message: str
    """What is wrong, and what to do."""
