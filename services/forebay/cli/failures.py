"""Errors as users of a command see them: what is wrong, what to do, and an exit status; never a traceback."""

import os
import sys
from typing import NamedTuple

from forebay.cli.errors import FAILED, UNREACHABLE, CliError

TRACEBACK = "FOREBAY_TRACEBACK"
"""Environment variable that makes unexpected errors show where they come from."""


class Failure(NamedTuple):
    """What is printed of an error, and how the process ends."""

    message: str
    remedy: str = ""
    status: int = FAILED


def failure_of(error: Exception) -> Failure:
    """What to say of an error."""
    if isinstance(error, CliError):
        return Failure(error.message, error.remedy, error.status)
    return _of_forebay(error) or _of_system(error) or _unexpected(error)


def report(error: Exception) -> int:
    """Print an error; the exit status."""
    if os.environ.get(TRACEBACK):
        raise error
    failure = failure_of(error)
    print(f"Error: {failure.message}", file=sys.stderr)
    if failure.remedy:
        print(failure.remedy, file=sys.stderr)
    return failure.status


def _of_forebay(error: Exception) -> Failure | None:
    # Imported only now: most commands end well, and help and completion have to be fast.
    from forebay.api import ApiError, ManifestError
    from forebay.runtime import ForebayError, ServiceError, UnavailableError

    if isinstance(error, ManifestError):
        many = len(error.problems) > 1
        return Failure("\n".join(["the files cannot be used", *error.problems]) if many else error.problems[0])
    if isinstance(error, UnavailableError):
        remedy = "Is the service running there? Start one with `forebay up`, or name another with --address."
        return Failure(error.message, remedy, UNREACHABLE)
    if isinstance(error, ServiceError):
        lines = [error.message, *(f"  {field}: {description}" for field, description in error.violations)]
        remedy = "" if error.retry_after is None else f"Try again in {error.retry_after:g} s."
        return Failure("\n".join(lines), remedy)
    return Failure(str(error)) if isinstance(error, ForebayError | ApiError) else None


def _of_system(error: Exception) -> Failure | None:
    if not isinstance(error, OSError):
        return None
    return Failure(f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error))


def _unexpected(error: Exception) -> Failure:
    return Failure(
        f"unexpected {type(error).__name__}: {error}",
        f"This is a fault of Forebay. Please report it, with what {TRACEBACK}=1 shows when you run this again.",
    )
