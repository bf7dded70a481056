"""Calling a running service: one command, from its start to its end."""

from collections.abc import Coroutine
from typing import Any

import uvloop

from forebay.runtime import configure_logs


def run_call(command: Coroutine[Any, Any, None]) -> None:
    """Run a command that is a client; of what happens meanwhile, warnings are told."""
    configure_logs("warning")
    uvloop.run(command)
