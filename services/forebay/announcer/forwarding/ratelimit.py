"""The rate limit of first announces: a token bucket."""


class TokenBucket:
    """Up to `burst` tokens, of which `rate` come back in a second. It starts full."""

    def __init__(self, rate: float, burst: int, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = float(burst)
        self._filled = now

    def take(self, now: float) -> bool:
        """Take a token; False when there is none."""
        self._tokens = min(self._burst, self._tokens + max(0.0, now - self._filled) * self._rate)
        self._filled = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True
