"""Errors of the spill queues, all of them `ForebayError`s.

SpillError
├── SpillSettingsError       a setting or URL that cannot be used
├── SpillCheckError          the server lacks what safe keeping needs
├── SpillUnavailableError    Redis cannot be reached, or did not answer in time
├── SpillFullError           Redis has no room for more
├── SpillAnswerError         Redis answered what no spool expects
├── SpillHeldError           somebody drains what is to be deleted
└── LeaseLostError           somebody else drains this owner now, or Redis was restarted
"""

from typing import TYPE_CHECKING

from forebay.runtime import ForebayError

if TYPE_CHECKING:
    from forebay.spill.fence import Durable


class SpillError(ForebayError):
    """Base of all errors of this package."""


class SpillSettingsError(SpillError, ValueError):
    """A setting or URL that cannot be used; the message names the field and what it takes."""


class SpillCheckError(SpillError):
    """The server is not fit to keep a backlog: the message names its setting, the value found and the remedy."""

    def __init__(self, setting: str, value: str, remedy: str) -> None:
        super().__init__(f"{setting} is {value!r}: {remedy}")
        self.setting = setting
        self.value = value
        self.remedy = remedy


class SpillUnavailableError(SpillError):
    """Redis cannot be reached or did not answer in time.

    What was being written may or may not be kept: write it again once Redis is back.
    """


class SpillFullError(SpillError):
    """Redis has reached its memory limit, or cannot write its log.

    `appended` entries, from the first on, were taken before it was full, and `durable` tells when they are on disk; the
    rest was not taken.
    """

    def __init__(self, message: str, appended: int = 0, durable: "Durable | None" = None) -> None:
        super().__init__(message)
        self.appended = appended
        self.durable = durable


class SpillAnswerError(SpillError):
    """Redis answered what no spool expects: a key of another type, a damaged record of segments."""


class SpillHeldError(SpillError):
    """What is to be deleted belongs to a service that runs."""


class LeaseLostError(SpillError):
    """This process may not change the owner's spool any more: load it again to take it over."""
