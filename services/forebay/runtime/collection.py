"""Python's collection of cyclic garbage, which work on millions of records does better without."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Do without the collector of cyclic garbage: it would look at millions of records again and again for no cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
