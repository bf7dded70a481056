"""Which of the services in the files are meant."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TypeVar

from forebay.api import Manifests
from forebay.api.v1alpha1 import Outfeed, Peerfeed
from forebay.api.v1alpha1 import Service as ServiceResource
from forebay.cli.errors import InputError
from forebay.cli.servicekind import KINDS, services_of

R = TypeVar("R", bound=ServiceResource)


def all_of(manifests: Manifests) -> Sequence[ServiceResource]:
    """All services. Raises `InputError` when there is none."""
    found = services_of(manifests)
    if not found:
        raise _nothing_to_run(" and no ".join(KINDS))
    return found


def one_of(manifests: Manifests, model: type[R], name: str) -> R:
    """The one of a kind and name, which may be NAMESPACE/NAME; without a name the only one. Raises `InputError`."""
    resources = manifests.of(model)
    kind = model.__name__
    if not resources:
        raise _nothing_to_run(kind)
    found = [resource for resource in resources if not name or name in (resource.metadata.name, title(resource))]
    if len(found) == 1:
        return found[0]
    names = ", ".join(title(resource) for resource in found or resources)
    if found:
        raise InputError(f"the files have several {kind}s that fit", f"Name one by --name: {names}.")
    raise InputError(f"the files have no {kind} {name}", f"They have {names}.")


def _nothing_to_run(kinds: str) -> InputError:
    return InputError(f"the files have no {kinds}, so there is nothing to run", "Add one, or name other files by -f.")


def fed_one(manifests: Manifests) -> Outfeed:
    """The Outfeed that has peers. Raises `InputError` when none or several have."""
    parents = {(peer.metadata.namespace, peer.spec.outfeed_ref.name) for peer in manifests.of(Peerfeed)}
    found = [
        outfeed for outfeed in manifests.of(Outfeed) if (outfeed.metadata.namespace, outfeed.metadata.name) in parents
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise InputError("no Outfeed has peers, so there is none to offer to", "Add a Peerfeed.")
    names = ", ".join(title(outfeed) for outfeed in found)
    raise InputError(f"several Outfeeds have peers: {names}", "Offer by `forebay outfeed offer --address HOST:PORT`.")


def delays(texts: Sequence[str]) -> dict[str, float]:
    """Seconds by name, from texts such as `west=5`. Raises `InputError`."""
    return dict(_delay(text) for text in texts)


def _delay(text: str) -> tuple[str, float]:
    name, _, seconds = text.partition("=")
    try:
        delay = float(seconds)
    except ValueError:
        delay = -1
    if not name or not 0 <= delay < float("inf"):
        raise InputError(f"--start-later {text}: give NAME=SECONDS, as west=5")
    return name, delay


def check_names(names: Sequence[str], services: Sequence[ServiceResource]) -> None:
    """See that services of all names are there. Raises `InputError`."""
    known = [service.metadata.name for service in services]
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1) or known
            raise InputError(f"--start-later: there is no {' or '.join(KINDS)} {name}", f"Is {near[0]} meant?")


def title(resource: ServiceResource) -> str:
    """Namespace and name in one text."""
    return f"{resource.metadata.namespace}/{resource.metadata.name}"
