"""`retry in` of BEP 31: when a tracker that failed wants to be asked again."""

import math

NEVER = math.inf
"""The tracker wants never to be asked again."""
COMPLETED_FROM = 600.0
"""Seconds from which on the wait is left to the client's next announces: nothing is scheduled."""
LONGEST_WAIT = 7 * 86_400.0
"""Seconds that no wait exceeds, short of `NEVER`: a week is beyond any sense, and a tracker's slip must end."""

_LONGEST_TEXT = 20


def retry_wait(value: object) -> float | None:
    """Seconds to wait, from the value of `retry in`: minutes as a number or as text, or the text `never`.

    None where it is missing or makes no sense, such as 0, -1 or `abc`.
    """
    if value == b"never":
        return NEVER
    if isinstance(value, bytes) and len(value) <= _LONGEST_TEXT and value.isdigit():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        return None
    return min(value * 60.0, LONGEST_WAIT) if value < LONGEST_WAIT else LONGEST_WAIT
