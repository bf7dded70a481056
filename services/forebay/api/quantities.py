"""Durations and sizes as they are written in resources, such as `5m` and `10MB`."""

import re
from datetime import timedelta

DURATION_PATTERN = r"^([0-9]{1,6}d)?([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?([0-9]{1,6}ms)?$"
SIZE_PATTERN = r"^[0-9]{1,15}(B|[KMGT]B|[KMGT]iB)$"

_DURATION = re.compile(DURATION_PATTERN)
_SIZE = re.compile(r"([0-9]{1,15})(B|[KMGT]B|[KMGT]iB)")
_LOOSE_SIZE = re.compile(r"([0-9]{1,15})\s*([kmgt]?)(i?)b?", re.IGNORECASE)
_MILLISECOND = timedelta(milliseconds=1)
_DURATION_UNITS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
_SIZE_UNITS: dict[str, int] = {"B": 1} | {
    f"{prefix}{infix}": base ** (power + 1)
    for infix, base in (("B", 1000), ("iB", 1024))
    for power, prefix in enumerate("KMGT")
}


def parse_duration(text: str) -> timedelta:
    """Read a duration: whole numbers with the units d, h, m, s and ms, the largest first, as `30s` or `1h30m`.

    Raises `ValueError` when the text is none; its message tells what to give instead.
    """
    match = _DURATION.fullmatch(text)
    if not match or not text:
        remedy = (
            f"give {text}s if seconds are meant"
            if text.isdecimal()
            else "give a number with its unit, as 30s, 5m or 10d"
        )
        raise ValueError(f"{text!r} is no duration; {remedy}")
    amounts = (int(part.rstrip("dhms")) if part else 0 for part in match.groups())
    return timedelta(milliseconds=sum(a * u for a, u in zip(amounts, _DURATION_UNITS.values(), strict=True)))


def format_duration(value: timedelta) -> str:
    """The shortest text of a duration that is not negative; parts of a millisecond are left out."""
    rest = value // _MILLISECOND
    parts = []
    for unit, milliseconds in _DURATION_UNITS.items():
        amount, rest = divmod(rest, milliseconds)
        if amount:
            parts.append(f"{amount}{unit}")
    return "".join(parts) or "0s"


def parse_size(text: str) -> int:
    """Read a size in octets: a whole number with its unit.

    Units are B, KB, MB, GB, TB (powers of 1000) and KiB, MiB, GiB, TiB (powers of 1024).
    Raises `ValueError` when the text is none; its message tells what to give instead.
    """
    match = _SIZE.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is no size; {_size_remedy(text)}")
    return int(match[1]) * _SIZE_UNITS[match[2]]


def format_size(octets: int) -> str:
    """The shortest text of a size that is exact."""
    unit = max((unit for unit, factor in _SIZE_UNITS.items() if octets % factor == 0), key=_SIZE_UNITS.__getitem__)
    return f"{octets // _SIZE_UNITS[unit]}{unit}" if octets else "0B"


def _size_remedy(text: str) -> str:
    match = _LOOSE_SIZE.fullmatch(text.strip())
    if not match:
        return "give a number with its unit, as 10MB or 16MiB"
    prefix = match[2].upper()
    return f"give {match[1]}{prefix}{'i' if prefix and match[3] else ''}B"
