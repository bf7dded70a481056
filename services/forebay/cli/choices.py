"""Which of the Outfeeds in the files is meant."""

from collections.abc import Sequence
from difflib import get_close_matches

from forebay.api import Manifests
from forebay.api.v1alpha1 import Outfeed, Peerfeed
from forebay.cli.errors import InputError


def all_of(outfeeds: Sequence[Outfeed]) -> Sequence[Outfeed]:
    """All. Raises `InputError` when there is none."""
    if not outfeeds:
        raise InputError("the files have no Outfeed, so there is nothing to run", "Add one, or name other files by -f.")
    return outfeeds


def one_of(outfeeds: Sequence[Outfeed], name: str) -> Sequence[Outfeed]:
    """The one of a name, which may be NAMESPACE/NAME; without a name the only one. Raises `InputError`."""
    found = [outfeed for outfeed in all_of(outfeeds) if not name or name in (outfeed.metadata.name, title(outfeed))]
    if len(found) == 1:
        return found
    names = ", ".join(title(outfeed) for outfeed in found or outfeeds)
    if found:
        raise InputError("the files have several Outfeeds that fit", f"Name one by --name: {names}.")
    raise InputError(f"the files have no Outfeed {name}", f"They have {names}.")


def fed_one(manifests: Manifests, outfeeds: Sequence[Outfeed]) -> Outfeed:
    """The one that has peers. Raises `InputError` when none or several have."""
    parents = {(peer.metadata.namespace, peer.spec.outfeed_ref.name) for peer in manifests.of(Peerfeed)}
    found = [outfeed for outfeed in outfeeds if (outfeed.metadata.namespace, outfeed.metadata.name) in parents]
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


def check_names(names: Sequence[str], outfeeds: Sequence[Outfeed]) -> None:
    """See that Outfeeds of all names are there. Raises `InputError`."""
    known = [outfeed.metadata.name for outfeed in outfeeds]
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1) or known
            raise InputError(f"--start-later: there is no Outfeed {name}", f"Is {near[0]} meant?")


def title(outfeed: Outfeed) -> str:
    """Namespace and name in one text."""
    return f"{outfeed.metadata.namespace}/{outfeed.metadata.name}"
