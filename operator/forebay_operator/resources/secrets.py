"""Secrets: the one kind of object that holds any."""

from base64 import b64encode
from collections.abc import Collection, Mapping
from urllib.parse import quote

from forebay.api.v1alpha1 import Resource, Spill
from forebay.runtime.certificates import AUTHORITIES, CHAIN, KEY
from forebay_operator.body import Body
from forebay_operator.resources.names import ServiceNames, SpillNames
from forebay_operator.resources.ownership import owned
from forebay_operator.valkeysecret import PASSWORD, URL, VALKEY_CONF

REVISION, DOCUMENT = "revision", "document"
"""Keys of the Secret with a service's configuration."""
CLIENTS = "forebay.dev/clients"
"""The annotation of a service's certificate that names the clients to which any may have been issued."""


def config_secret(service: Resource, revision: int, document: bytes) -> Body:
    """The configuration that a service starts with; `document` is what `forebay.runtime.document.encode` gives."""
    names = ServiceNames.of(service)
    data = {REVISION: str(revision).encode(), DOCUMENT: document}
    return secret(service, names.role, names.config, "Opaque", data)


def tls_secret(service: Resource, name: str, chain: bytes, key: bytes, authorities: bytes) -> Body:
    """A certificate of a client of a service, all as PEM."""
    data = {CHAIN: chain, KEY: key, AUTHORITIES: authorities}
    return secret(service, ServiceNames.of(service).role, name, "kubernetes.io/tls", data)


def server_secret(
    service: Resource, chain: bytes, key: bytes, authorities: bytes, clients: Collection[str] = ()
) -> Body:
    """The certificate of a service itself, with a note of the clients that have, or may have, one as well."""
    body = tls_secret(service, ServiceNames.of(service).tls, chain, key, authorities)
    body["metadata"]["annotations"] = {CLIENTS: ",".join(sorted(clients))}
    return body


def noted_clients(secret: Body) -> set[str]:
    """The clients that such a Secret names."""
    return set(filter(None, secret["metadata"].get("annotations", {}).get(CLIENTS, "").split(",")))


def valkey_secret(spill: Spill, password: str) -> Body:
    """The password of a managed Valkey, for its clients as part of its URL, for itself as its configuration."""
    names = SpillNames.of(spill)
    data = {
        URL: f"redis://:{quote(password, safe='')}@{names.address}/0".encode(),
        PASSWORD: password.encode(),
        VALKEY_CONF: f"requirepass {quoted(password)}\n".encode(),
    }
    return secret(spill, "valkey", names.valkey, "Opaque", data)


def quoted(text: str) -> str:
    """A text in Valkey's configuration, each octet as a number, so that none can end the line."""
    return '"' + "".join(f"\\x{octet:02x}" for octet in text.encode()) + '"'


def secret(owner: Resource, role: str, name: str, form: str, data: Mapping[str, bytes]) -> Body:
    """A Secret of a resource; `form` is its type."""
    encoded = {key: b64encode(value).decode() for key, value in data.items()}
    return owned(owner, role, "v1", "Secret", name, type=form, data=encoded)
