"""What can go wrong in outfeed.

OutfeedError
├── ArticleError        what was offered is no article that may be passed on
├── CompressionError    what a peer sent cannot be unpacked
├── PatternError        a newsgroup pattern or another rule of a peer cannot be read
├── HistoryFullError    the disk has no room for more remembered message-ids
├── MigrationError      a file of INN cannot be read
├── LogFullError        too much of the feed log waits for peers or for Redis
└── IntakeFullError     nothing more can be taken in for now
"""


class OutfeedError(Exception):
    """Base of all errors of outfeed."""


class ArticleError(OutfeedError):
    """What was offered is refused; `reason` names the header or the limit, in printable ASCII on one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class CompressionError(OutfeedError):
    """What a peer sent cannot be unpacked; the message says why."""


class PatternError(OutfeedError, ValueError):
    """A rule of a peer cannot be read; the message quotes it and says what is wrong."""


class MigrationError(OutfeedError):
    """A file of INN cannot be read; the message tells the file, the line, and what to do."""

    def __init__(self, place: tuple[str, int], problem: str) -> None:
        super().__init__(f"{place[0]}:{place[1]}: {problem}")


class HistoryFullError(OutfeedError):
    """The disk has no room for more remembered message-ids: free space, or remember fewer days."""


class LogFullError(OutfeedError):
    """Too much of the feed log waits for peers or for Redis: mend what they wait for, or raise the log's limit."""


class IntakeFullError(OutfeedError):
    """Nothing more can be taken in for now; the message says what is full. The sender keeps what it has and returns."""
