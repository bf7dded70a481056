"""The Secrets that hold clients' certificates, and folders of their files."""

import base64
import binascii
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from forebay.api.v1alpha1 import Service
from forebay.cli.kubectl.cluster import missing
from forebay.cli.kubectl.errors import KubectlError
from forebay.cli.kubectl.objects import Object
from forebay.cli.kubectl.program import Kubectl

OWN_CLIENT = "kubectl"
"""The client that every service has, for this command."""
FILES = ("tls.crt", "tls.key", "ca.crt")


def clients_of(service: Service) -> list[str]:
    """Names for which certificates are issued."""
    return sorted({OWN_CLIENT, *service.spec.clients})


def secret_name(service: Service, client: str) -> str:
    """Name of the Secret that holds a client's certificate."""
    return f"{service.metadata.name}-{service.kind.lower()}-client-{client}"


def principal_of(client: str, namespace: str) -> str:
    """Who a client is to the services of its namespace."""
    return f"{client}.{namespace}.client.forebay"


def certificate_files(kubectl: Kubectl, service: Service, client: str) -> dict[str, bytes]:
    """The files of a client's certificate, by name.

    Raises `InputError` when the service has no such client, and `KubectlError` when its Secret cannot be had.
    """
    known = clients_of(service)
    if client not in known:
        raise missing("client", client, known)
    name = secret_name(service, client)
    found = kubectl.items("secrets", name)
    if not found:
        place = f"{service.kind.lower()}/{service.metadata.name} -n {service.metadata.namespace}"
        raise KubectlError(
            f"the certificate of client {client} is not issued yet: there is no Secret {name}",
            f"See why: kubectl forebay status {place}",
        )
    return files_of(Object(found[0]))


def files_of(secret: Object) -> dict[str, bytes]:
    """The files that a Secret holds. Raises `KubectlError` when one is missing."""
    data: Mapping[str, str] = secret.body.get("data") or {}
    try:
        return {file: base64.b64decode(data[file], validate=True) for file in FILES}
    except (KeyError, binascii.Error):
        raise KubectlError(
            f"Secret {secret.name} does not hold {', '.join(FILES)}", "Delete it: the operator makes it anew."
        ) from None


@contextmanager
def private_folder(files: Mapping[str, bytes]) -> Iterator[Path]:
    """A folder of files that only this user can read, and that is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="kubectl-forebay-") as name:
        folder = Path(name)
        write_files(folder, files)
        yield folder


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files that only this user can read, in the place of those that are there. Raises `OSError`."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, content in files.items():
        new = folder / f".{name}.new"
        # Renamed into its place: a process that uses the folder never sees half of a file.
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(content)
        new.replace(folder / name)
