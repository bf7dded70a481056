"""What can go wrong in the operator.

OperatorError
├── SettingsFileError        the settings file can't be used
├── KubeError                the API server refused a request, or did not answer
│   ├── NotFoundError        404
│   ├── ConflictError        409: someone else was faster
│   ├── ForbiddenError       403
│   ├── EndingError          403 as well: the namespace is being deleted
│   ├── InvalidError         400 and 422: what was sent is wrong
│   └── UnavailableError     no answer in time, 429 or 5xx, after all tries
├── LeadershipLostError      another operator leads by now
├── PendingError             what was deleted is not gone yet; it will be, by itself
└── ReconcileError           why a resource can't be brought about for now; carries the reason of its condition
    ├── AuthorityError       the Secret of a certificate authority can't be used
    ├── NameTakenError       an object of the name that we need is somebody else's
    └── MissingError         something that the resource refers to is not there
"""


class OperatorError(Exception):
    """Base of the errors of this package."""


class SettingsFileError(OperatorError):
    """The settings file can't be used."""


class PendingError(OperatorError):
    """What was deleted is not gone yet; it will be, by itself."""


class LeadershipLostError(OperatorError):
    """Another operator leads by now."""


class KubeError(OperatorError):
    """The API server refused a request, or did not answer."""

    def __init__(self, action: str, status: int, message: str) -> None:
        """`action` as `patch secrets default/hub`; `status` of HTTP, 0 where no answer came."""
        super().__init__(f"{action}: {status or 'no answer'}: {message}")
        self.action = action
        self.status = status


class NotFoundError(KubeError):
    """There is no such object, or no such kind."""


class ConflictError(KubeError):
    """Someone else was faster: read again and repeat."""


class ForbiddenError(KubeError):
    """The operator's service account may not do this."""


class EndingError(KubeError):
    """Nothing can be made in a namespace that is being deleted."""


class InvalidError(KubeError):
    """What was sent is wrong; to repeat it is no use."""


class UnavailableError(KubeError):
    """No answer in time, or none but 429 and 5xx, after all tries."""

    retry_after: float = 0.0
    """Seconds that the API server asked to wait."""


class ReconcileError(OperatorError):
    """Why a resource can't be brought about for now."""

    def __init__(self, reason: str, message: str) -> None:
        """`reason` and `message` as its condition shows them: one word, and what to do."""
        super().__init__(message)
        self.reason = reason


class AuthorityError(ReconcileError):
    """The Secret of a certificate authority can't be used."""

    def __init__(self, namespace: str, problem: str) -> None:
        super().__init__(
            "AuthorityDamaged",
            f"the authority of namespace {namespace} can't be used ({problem}): restore its Secret, or delete it and "
            "have all certificates issued anew",
        )


class NameTakenError(ReconcileError):
    """An object of the name that we need is somebody else's."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__("NameTaken", f"{kind} {name} exists and belongs to someone else; rename or delete it")


class MissingError(ReconcileError):
    """Something that the resource refers to is not there."""
