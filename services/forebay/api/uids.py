"""Identities of resources where no Kubernetes gives them: made once, kept in a file of the data folder.

The identity of a resource that the manifests name no more is forgotten, so that a new one of the same name does not
inherit what was meant for the old.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from forebay.api.errors import UidsError
from forebay.api.manifests import Manifests
from forebay.api.v1alpha1 import Resource

NAME = "uids"


def with_uids(manifests: Manifests, folder: Path, make: Callable[[], str] = lambda: str(uuid4())) -> Manifests:
    """The manifests with an identity for each resource; one that a manifest gives itself stays.

    What is new is on disk when this returns. Raises `UidsError` when the file can't be read, `OSError` when it can't be
    written.
    """
    path = folder / NAME
    known = read_uids(path)
    uids = {
        title(resource): resource.metadata.uid or known.get(title(resource)) or make()
        for resource in manifests.resources
    }
    if uids != known:
        write_uids(path, uids)
    return Manifests(tuple(identified(resource, uids) for resource in manifests.resources), manifests.secrets)


def title(resource: Resource) -> str:
    """`Kind/namespace/name`."""
    return "/".join(resource.identity)


def identified(resource: Resource, uids: dict[str, str]) -> Resource:
    """The resource with its identity from `uids`."""
    metadata = resource.metadata.model_copy(update={"uid": uids[title(resource)]})
    return resource.model_copy(update={"metadata": metadata})


def read_uids(path: Path) -> dict[str, str]:
    """Identities by title; none where there is no file yet."""
    try:
        uids = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise UidsError(broken(path)) from error
    if not isinstance(uids, dict) or not all(isinstance(uid, str) for uid in uids.values()):
        raise UidsError(broken(path))
    return uids


def broken(path: Path) -> str:
    """What to say about a file that is not what was written."""
    return f"{path}: is no JSON object of texts; restore it, or remove it and lose the backlogs of its identities"


def write_uids(path: Path, uids: dict[str, str]) -> None:
    """Replace the file as a whole, and have that on disk."""
    new = path.with_suffix(".new")
    path.parent.mkdir(parents=True, exist_ok=True)
    with new.open("w", encoding="utf-8") as file:
        json.dump(uids, file, indent=1, sort_keys=True)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
