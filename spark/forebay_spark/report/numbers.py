"""Numbers as people read them."""

_STEPS = ("", "k", "M", "G", "T")
_LETTERS = "".join(_STEPS)


def short(number: float) -> str:
    """At most four characters of digits, and a letter for a power of thousand: 950, 1.2k, 38M."""
    step = 0
    while number >= 999.5 and step < len(_STEPS) - 1:
        number /= 1000
        step += 1
    digits = f"{number:.1f}" if step and number < 9.95 else f"{number:.0f}"
    return digits.removesuffix(".0") + _STEPS[step]


def octets(number: int) -> str:
    """A number of octets."""
    digits = short(number)
    return f"{digits.rstrip(_LETTERS)}\N{NO-BREAK SPACE}{digits[len(digits.rstrip(_LETTERS)) :]}B"


def exact(number: int) -> str:
    """All digits, in groups of three."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def share(part: int, whole: int) -> str:
    """A part of a whole, in percent; a dash of nothing."""
    return f"{100 * part / whole:.1f}\N{NO-BREAK SPACE}%" if whole else "–"
