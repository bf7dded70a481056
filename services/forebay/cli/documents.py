"""Manifests as the document that services take."""

from collections.abc import Iterator, Mapping

from pydantic import BaseModel

from forebay.api import Manifests
from forebay.api.v1alpha1 import SecretReference
from forebay.runtime import ConfigDocument, Secret


def document_of(manifests: Manifests, revision: int) -> ConfigDocument:
    """All resources, and of the Secrets what they refer to.

    Raises `SecretError` when a Secret, or a key of one, is not there.
    """
    secrets: dict[str, dict[str, Secret]] = {}
    for resource in manifests.resources:
        namespace = resource.metadata.namespace
        for reference in references(resource.spec):
            value = Secret(manifests.secret(namespace, reference))
            secrets.setdefault(f"{namespace}/{reference.name}", {})[reference.key] = value
    return ConfigDocument(revision, tuple(resource.manifest() for resource in manifests.resources), secrets)


def references(value: object) -> Iterator[SecretReference]:
    """The references to Secrets within a part of a resource."""
    if isinstance(value, SecretReference):
        yield value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from references(getattr(value, name))
    elif isinstance(value, Mapping):
        yield from references(tuple(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from references(item)
