"""Progress of a job, told on standard error while it runs."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PAUSE = 1.0
"""Seconds between two looks."""


@contextmanager
def progress(what: str, total: int, done: Callable[[], int]) -> Iterator[None]:
    """Tell how many of `total` are done whenever that has changed, as long as the block runs, and once at its end."""
    ended = threading.Event()

    def tell() -> None:
        told = None
        while not ended.wait(PAUSE):
            if (number := done()) != told:
                sys.stderr.write(f"{number} of {total} {what}\n")
                told = number

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        sys.stderr.write(f"{done()} of {total} {what}\n")
