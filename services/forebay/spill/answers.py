"""What an error that Redis answers with means."""

from redis.exceptions import ClusterDownError, NoPermissionError, OutOfMemoryError, ReadOnlyError, ResponseError

from forebay.spill.errors import SpillAnswerError, SpillCheckError, SpillError, SpillFullError, SpillUnavailableError


def meaning_of(error: ResponseError, server: object) -> SpillError:
    """The error of this package that an answer of a server stands for."""
    text = f"{server}: {error}"
    if isinstance(error, OutOfMemoryError) or _starts(error, "MISCONF"):
        return SpillFullError(text)
    if isinstance(error, (ReadOnlyError, ClusterDownError)) or _starts(error, "BUSY", "NOREPLICAS", "LOADING"):
        return SpillUnavailableError(text)
    if isinstance(error, NoPermissionError):
        return SpillCheckError("acl", str(error), "give the user ~forebay:* with +@all, or the commands named")
    return SpillAnswerError(text)


def _starts(error: ResponseError, *codes: str) -> bool:
    """Whether an error without a class of its own has one of these codes."""
    return str(error).startswith(codes)
