"""Files as an outfeed's outcome log leaves them."""

import json
from pathlib import Path

START = 1_764_288_000_000
"""Midnight of 28 November 2025, in milliseconds since the epoch."""
HOUR = 3_600_000
DAY = 24 * HOUR


def outcome(number: int, time: int = START, peer: str = "hub", outcome: str = "accepted", **fields: object) -> dict:
    line = {"time": time, "peer": peer, "outcome": outcome, "reason": "239", "message_id": f"<{number}@example.org>"}
    return {**line, "group": "misc.test", "size": 1000 + number, **fields}


def sample(time: int, peer: str = "hub", queued: int = 0, deferred: int = 0) -> dict:
    return {"time": time, "peer": peer, "backlog": {"queued": queued, "deferred": deferred, "in_flight": 0}}


def write(folder: Path, name: str, *lines: dict, raw: str = "") -> Path:
    """A file of these lines, and of some that are none."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines) + raw)
    return file
