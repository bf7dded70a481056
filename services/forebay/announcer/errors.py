"""What can go wrong in announcer.

AnnouncerError
├── BencodeError           octets are not bencoded
├── ForwardersFileError    a file of forwarders cannot be read
├── AccessListError        a list of info hashes cannot be read
├── HttpError              what a tracker sent is no HTTP, or ends too early
├── RequestError           what a client sent is no request
└── RefusedError           a request is well formed, and is not carried out
    └── TableFullError     there is no room for more peers
"""


class AnnouncerError(Exception):
    """Base of all errors of announcer."""


class BencodeError(AnnouncerError, ValueError):
    """Octets are not bencoded; the message says what is wrong, and where."""


class ForwardersFileError(AnnouncerError, ValueError):
    """A file of forwarders cannot be read; the message names the entry and the remedy."""


class AccessListError(AnnouncerError, ValueError):
    """A list of info hashes cannot be read; the message names the line and the remedy."""


class HttpError(AnnouncerError):
    """What a tracker sent is no HTTP, or ends too early."""


class RequestError(AnnouncerError, ValueError):
    """What a client sent is no request; the message is for the client, in ASCII."""


class RefusedError(AnnouncerError):
    """A request is not carried out; the message is for the client, in ASCII."""

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        """`retry_after`: seconds after which the client may try again; None: trying again is of no use."""
        super().__init__(reason)
        self.retry_after = retry_after


class TableFullError(RefusedError):
    """There is no room for more peers: raise the limit, or give the announcer more memory."""
