"""What can go wrong in the command line itself.

CliError                    a message, what to do about it, and the exit status
├── InputError              what was given on the command line cannot be used
├── ConfigurationError      the configuration of a pod cannot be used
├── AwayError               what is needed cannot be reached now
├── ValkeyError             the embedded Valkey does not run
└── UndoneError             something of what was asked for was not done
"""

from typing import ClassVar

FAILED = 1
"""Exit status: not, or not all of it, done."""
MISUSED = 2
"""Exit status: the command line is wrong."""
UNREACHABLE = 3
"""Exit status: the service cannot be reached now."""
INTERRUPTED = 130
"""Exit status: ended from the keyboard."""


class CliError(Exception):
    """Ends a command with a message."""

    status: ClassVar[int] = FAILED

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class InputError(CliError):
    """What was given on the command line cannot be used."""

    status = MISUSED


class ConfigurationError(CliError):
    """The configuration of a pod is missing or cannot be used."""


class AwayError(CliError):
    """What is needed cannot be reached now."""

    status = UNREACHABLE


class ValkeyError(CliError):
    """The embedded Valkey does not run."""


class UndoneError(CliError):
    """Something of what was asked for was not done; the output tells what."""
