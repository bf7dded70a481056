"""A managed Spill as services see it: one whose URL is in a Secret."""

from forebay_operator.body import Body
from forebay_operator.valkeysecret import URL, valkey_name


def as_given(spill: Body) -> Body:
    """A Spill whose server is one that it names; a managed one names its own by the Secret of it."""
    spec = spill.get("spec")
    if not isinstance(spec, dict) or "managed" not in spec:
        return spill
    reference = {"name": valkey_name(spill["metadata"]["name"]), "key": URL}
    others = {name: value for name, value in spec.items() if name != "managed"}
    return {**spill, "spec": {**others, "urlFrom": {"secretRef": reference}}}
