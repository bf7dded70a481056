"""What can go wrong with resources.

ApiError
├── ManifestError   files or resources that can't be used; lists everything wrong with them
├── SecretError     a Secret, or a key of one, that a resource refers to is not there
└── UidsError       the file of identities can't be read
"""

from collections.abc import Sequence


class ApiError(Exception):
    """Base of the errors of this package."""


class ManifestError(ApiError):
    """Files or resources that can't be used."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)
        """One line each: where it is, what is wrong, what to do."""


class SecretError(ApiError):
    """A Secret, or a key of one, that a resource refers to is not there."""


class UidsError(ApiError):
    """The file of identities can't be read."""
