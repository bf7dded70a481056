"""Errors of a pass, as the conditions of its resource tell them."""

from forebay_operator.conditions import Fault
from forebay_operator.errors import ForbiddenError, InvalidError, ReconcileError
from forebay_operator.workers import Outcome

TELLING = (ReconcileError, ForbiddenError, InvalidError)
"""What somebody has to act upon. Other errors pass by themselves, and are tried again without a word."""


def fault_of(error: ReconcileError | ForbiddenError | InvalidError) -> Fault:
    """What a condition says of an error."""
    if isinstance(error, ReconcileError):
        return Fault(error.reason, str(error))
    remedy = "compare the operator's rights and settings with those of its chart; quotas and policies refuse, too"
    return Fault("ClusterRefused", f"the API server refused {error}; {remedy}")


def concluded(error: ReconcileError | ForbiddenError | InvalidError | None) -> Outcome:
    """What a pass with this error comes to. Raises it where another try may help though nobody acts."""
    if error is None:
        return Outcome.OK
    if isinstance(error, ReconcileError):
        return Outcome.FAULT
    raise error
