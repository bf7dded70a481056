"""Runs of messages for tests that look at their numbers alone."""

from array import array

from forebay.store.backing.run import Run


def run_of(first, count, level=0):
    ids = [number.to_bytes(16, "big") for number in range(first, first + count)]
    return Run(first, ids, array("I", [1] * count), [b"x"] * count, level=level)
