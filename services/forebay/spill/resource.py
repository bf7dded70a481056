"""Where the Redis of a Spill resource is."""

from collections.abc import Callable
from pathlib import Path

from forebay.api.v1alpha1 import Announcer, ConduitNode, Durability, Outfeed, Router, Spill
from forebay.runtime.document import ConfigDocument
from forebay.runtime.errors import FieldError
from forebay.runtime.leaseholder import holder
from forebay.spill.address import parse_url
from forebay.spill.errors import SpillSettingsError
from forebay.spill.settings import SpillSettings

ManagedUrl = Callable[[Spill], str]
"""Where the server of a managed Spill listens."""


def url_of(spill: Spill, document: ConfigDocument, managed: ManagedUrl | None) -> str:
    """The URL of a Spill; `managed` is None where no servers are run.

    Raises `FieldError` when there is none, or it is none of Redis.
    """
    spec = spill.spec
    if spec.managed:
        if managed is None:
            raise FieldError("spec.managed", "no server is run for it here: give url or urlFrom instead")
        return managed(spill)
    if spec.url_from:
        source, reference = "spec.urlFrom.secretRef", spec.url_from.secret_ref
        secret = document.referenced(spill.metadata.namespace, reference.name, reference.key, source)
        return _usable(source, secret.reveal())
    return _usable("spec.url", spec.url or "")


def settings_of(url: str, durability: Durability | None, folder: Path) -> SpillSettings:
    """How a service with its data in a folder reaches the Redis of a Spill; without a durability as with `everysec`."""
    return SpillSettings(
        url=url, durability="always" if durability is Durability.ALWAYS else "everysec", holder=holder(folder)
    )


def is_used(spill: Spill, user: Announcer | ConduitNode | Outfeed | Router | None) -> bool:
    """Whether a Spill is the one that a resource names."""
    if user is None or user.spec.spill_ref is None:
        return False
    return (spill.metadata.namespace, spill.metadata.name) == (user.metadata.namespace, user.spec.spill_ref.name)


def _usable(source: str, url: str) -> str:
    try:
        parse_url(url)
    except SpillSettingsError as error:
        raise FieldError(source, f"is no URL of Redis: {error}") from error
    return url
