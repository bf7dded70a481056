"""Programs that tests run."""

import asyncio
import os
import pwd
from collections.abc import Mapping, Sequence


async def run(*command: object, environment: Mapping[str, str] | None = None, timeout: float = 120) -> str:  # noqa: ASYNC109
    """Run a program to its end and return its output; a failure is an assertion that shows what it printed.

    `timeout` is in seconds; a program that takes longer is killed.
    """
    process = await asyncio.create_subprocess_exec(
        *map(str, command),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **(environment or {})},
    )
    try:
        output, errors = await asyncio.wait_for(process.communicate(), timeout)
    except TimeoutError:
        process.kill()
        output, errors = await process.communicate()
    text = output.decode("utf-8", "replace")
    assert process.returncode == 0, f"{command} ended with {process.returncode}: {text}{errors.decode()}"
    return text


def as_news() -> Sequence[str]:
    """The prefix that runs a program as user news, as INN's programs insist; empty when we are that user."""
    if os.geteuid() == pwd.getpwnam("news").pw_uid:
        return ()
    return ("setpriv", "--reuid=news", "--regid=news", "--clear-groups")
