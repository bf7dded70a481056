"""The Secrets that resources refer to."""

import json
from base64 import b64decode
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache

from forebay.api import references
from forebay.api.manifests import read_object
from forebay.api.v1alpha1 import SecretReference
from forebay.api.violations import Path
from forebay_operator.body import Body
from forebay_operator.configuration.managed import as_given

PARTS = ("apiVersion", "kind", "spec")
REMEMBERED = 16_384
"""Resources of which it is remembered what they refer to."""


def secrets_of(bodies: Iterable[Body]) -> frozenset[str]:
    """The Secrets that a configuration of these resources is made with, each as `namespace/name`.

    Those of references, and the one of a managed Spill. Certificates (`spec.tls` of a service) are no part of a
    configuration.
    """
    return frozenset(title(body, reference) for body in bodies for _, reference in references_in(as_given(body)))


def references_in(body: Body) -> Sequence[tuple[Path, SecretReference]]:
    """The references of a resource, each with its path; none of one with faults, which is not applied anyway."""
    metadata = {name: value for name, value in body["metadata"].items() if name in ("name", "namespace")}
    return _references(json.dumps({**{part: body.get(part) for part in PARTS}, "metadata": metadata}))


@lru_cache(maxsize=REMEMBERED)
def _references(manifest: str) -> tuple[tuple[Path, SecretReference], ...]:
    """Those in the JSON of a resource. To read thousands anew in each pass takes seconds."""
    return tuple(references(read_object(json.loads(manifest), lenient=True).resource))


def title(body: Body, reference: SecretReference) -> str:
    """`namespace/name` of a Secret that a resource refers to."""
    return f"{body['metadata'].get('namespace', 'default')}/{reference.name}"


def texts_of(secret: Body) -> dict[str, str]:
    """The values of a Secret's `data` by key, without those that are no UTF-8 text."""
    texts: dict[str, str] = {}
    for key, value in (secret.get("data") or {}).items():
        with suppress(ValueError):
            texts[key] = b64decode(value, validate=True).decode()
    return texts
