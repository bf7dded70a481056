"""A text that no log, error or traceback may show."""

from hmac import compare_digest

MASK = "***"


class Secret:
    """Holds a secret text. It shows as `***` wherever it is printed, formatted or logged.

    It is no `str` on purpose: joining, encoding or dumping a subclass would show it.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself, for the one place that sends it."""
        return self._text

    def __str__(self) -> str:
        return MASK

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and compare_digest(self._text.encode(), other._text.encode())

    def __hash__(self) -> int:
        return hash(self._text)

    def __bool__(self) -> bool:
        return bool(self._text)

    def __reduce__(self) -> str:
        raise TypeError("a Secret is not pickled: send what reveal() gives over a safe channel")
