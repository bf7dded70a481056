"""Which revision a configuration gets."""

from collections.abc import Iterable


def next_revision(stored: int, reported: Iterable[int], *, changed: bool) -> int:
    """The revision to have stored: a higher one when the content changed or a pod is ahead, else the stored one.

    `stored` is that of the Secret, 0 where there is none; `reported` are those of the pods.
    """
    highest = max(reported, default=0)
    return max(stored, highest) + 1 if changed or highest > stored else stored
