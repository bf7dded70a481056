"""The name under which a service holds leases: it goes with its data folder, over restarts."""

import secrets
from pathlib import Path

NAME = "holder"
OCTETS = 8


def holder(folder: Path) -> str:
    """Random hexadecimal digits of a folder that is locked; made where there are none, or a power loss took them."""
    file = folder / NAME
    if file.exists() and (text := file.read_text()):
        return text
    text = secrets.token_hex(OCTETS)
    fresh = file.with_suffix(".new")
    fresh.write_text(text)
    fresh.replace(file)
    return text
