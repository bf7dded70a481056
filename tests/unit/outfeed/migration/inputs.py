"""Files of real servers, from the folder that FOREBAY_SHARED names."""

from pathlib import Path

from conftest import SHARED, missing


def real_file(kind: str, number: str) -> Path:
    """The file of a kind (`innfeed`, `newsfeeds`) with a number."""
    found = list((SHARED / "inputs" / kind).glob(f"{number}-*"))
    if not found:
        missing(f"needs inputs/{kind} in the folder that FOREBAY_SHARED names")
    return found[0]
