"""Types of arguments: durations and sizes, written as in resources."""

from argparse import ArgumentTypeError
from datetime import timedelta

from forebay.api.quantities import parse_duration, parse_size


def duration(text: str) -> timedelta:
    """A duration such as `10d`. Raises `ArgumentTypeError`."""
    try:
        return parse_duration(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def size(text: str) -> int:
    """Octets of a size such as `10MB`. Raises `ArgumentTypeError`."""
    try:
        octets = parse_size(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
    if octets == 0:
        raise ArgumentTypeError(f"{text!r} is nothing; give 1B or more")
    return octets
