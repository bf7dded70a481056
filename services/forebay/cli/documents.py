"""Manifests as the document that services take."""

from forebay.api import Manifests, references
from forebay.runtime import ConfigDocument, Secret


def document_of(manifests: Manifests, revision: int) -> ConfigDocument:
    """All resources, and of the Secrets what they refer to."""
    secrets: dict[str, dict[str, Secret]] = {}
    for resource in manifests.resources:
        namespace = resource.metadata.namespace
        for _, reference in references(resource):
            value = Secret(manifests.secret(namespace, reference))
            secrets.setdefault(f"{namespace}/{reference.name}", {})[reference.key] = value
    return ConfigDocument(revision, tuple(resource.manifest() for resource in manifests.resources), secrets)
