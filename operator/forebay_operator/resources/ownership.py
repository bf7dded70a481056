"""Ownership: objects that go with the resource that they were made for."""

from typing import Any

from forebay.api.v1alpha1 import Resource
from forebay_operator.body import Body
from forebay_operator.resources.labels import labels


def owner_reference(owner: Resource) -> Body:
    """Makes a resource the controller of an object.

    `blockOwnerDeletion` is left out: to set it can take a right to the resource's finalizers, and nothing waits for it.
    """
    return {
        "apiVersion": owner.api_version,
        "kind": owner.kind,
        "name": owner.metadata.name,
        "uid": owner.metadata.uid,
        "controller": True,
    }


def owned(owner: Resource, role: str, api_version: str, kind: str, name: str, **content: Any) -> Body:
    """An object of a resource, in its namespace; `content` are its fields beside the metadata."""
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {
            "name": name,
            "namespace": owner.metadata.namespace,
            "labels": labels(owner, role),
            "ownerReferences": [owner_reference(owner)],
        },
        **content,
    }
