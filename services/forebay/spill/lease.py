"""An owner's lease, as its holder sees it."""

import secrets
from dataclasses import dataclass


@dataclass(slots=True)
class Lease:
    """Held from `renewed` on for `ttl` seconds by the holder's own monotonic clock: Redis counts from later on."""

    token: bytes
    """Counter, nonce and run id, compared inside every script that changes something."""
    run_id: str
    """The run of Redis it was given in; void in any other."""
    renewed: float
    """When the request that renewed it last was sent, by the event loop's clock."""
    ttl: float

    def expired(self, now: float) -> bool:
        """Whether Redis may have given it to somebody else by now."""
        return now >= self.renewed + self.ttl


def new_nonce() -> str:
    """What keeps two holders apart even when a counter was lost with Redis' memory."""
    return secrets.token_hex(8)
