"""Whether a resource is reconciled at all. Pure."""

from typing import TypeVar

from forebay.api.manifests import read_object
from forebay.api.v1alpha1 import Resource
from forebay_operator.body import Body
from forebay_operator.conditions.wording import violations_text
from forebay_operator.errors import ReconcileError
from forebay_operator.settings import Settings

R = TypeVar("R", bound=Resource)


def is_ending(resource: Body) -> bool:
    """Whether a resource is being deleted: it is left alone then."""
    return "deletionTimestamp" in resource["metadata"]


def check_allowed(resource: Body, settings: Settings) -> None:
    """Raise `ReconcileError` where the operator may not reach the Secrets of the resource's namespace."""
    namespace = resource["metadata"]["namespace"]
    if namespace not in settings.namespaces:
        raise ReconcileError(
            "NamespaceNotAllowed",
            f"the operator may not reach Secrets in namespace {namespace}; add it to the value namespaces of its chart",
        )


def modelled(resource: Body, model: type[R]) -> R:
    """The resource as a model; fields that are unknown to this version are left aside, as services do.

    Raises `ReconcileError` where it does not fit, as one may that an older schema let through.
    """
    reading = read_object(resource, lenient=True)
    if not isinstance(reading.resource, model):
        raise ReconcileError("Invalid", violations_text(reading.violations))
    return reading.resource
