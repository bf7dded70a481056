"""A service's whole configuration as one document, as it is stored in a Secret and sent by Apply."""

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from forebay.runtime.errors import FieldError, FieldViolation, InvalidArgumentError
from forebay.runtime.secret import Secret

INFLATED_LIMIT = 64 * 1024 * 1024
"""Octets of JSON that a document may have."""
SHORTEST_KEY, LONGEST_KEY = 16, 64
"""Octets of a key that seals datagrams."""


@dataclass(frozen=True)
class ConfigDocument:
    """Manifests and the secrets that they refer to, under a revision."""

    revision: int
    """Higher for every newer document, from 1."""
    manifests: tuple[dict[str, Any], ...] = ()
    """The resources as they are written in YAML files."""
    secrets: Mapping[str, Mapping[str, Secret]] = field(default_factory=dict)
    """Keys and values of each Secret, by `namespace/name`."""

    def referenced(self, namespace: str, name: str, key: str, source: str) -> Secret:
        """The value of a key of a Secret, to which the field `source` of a resource refers. Raises `FieldError`."""
        value = self.secrets.get(f"{namespace}/{name}", {}).get(key)
        if value is None:
            raise FieldError(source, f"there is no key {key} in a Secret {name}: add it")
        return value

    def referenced_key(self, namespace: str, name: str, key: str, source: str) -> bytes:
        """As `referenced`, of a key that seals datagrams, in octets. Raises `FieldError`."""
        found = self.referenced(namespace, name, key, source).reveal().encode()
        if not SHORTEST_KEY <= len(found) <= LONGEST_KEY:
            raise FieldError(source, f"the value has {len(found)} octets; give {SHORTEST_KEY} to {LONGEST_KEY}")
        return found


def encode(document: ConfigDocument) -> bytes:
    """The document without its revision: JSON compressed by zlib, the same octets for the same content."""
    content = {
        "manifests": document.manifests,
        "secrets": {
            name: {key: base64.b64encode(value.reveal().encode()).decode() for key, value in values.items()}
            for name, values in document.secrets.items()
        },
    }
    return zlib.compress(json.dumps(content, sort_keys=True, separators=(",", ":")).encode())


def decode(revision: int, data: bytes) -> ConfigDocument:
    """Read a document.

    Raises `InvalidArgumentError` when it is not what `encode` writes, or larger than `INFLATED_LIMIT`; its message
    holds nothing of the content.
    """
    if revision < 1:
        raise unreadable("revision", f"{revision} is no revision: they begin at 1")
    content = parsed(inflated(data))
    manifests = content.get("manifests", [])
    if not isinstance(manifests, list) or not all(isinstance(manifest, dict) for manifest in manifests):
        raise unreadable("document.manifests", "has to be a list of objects")
    secrets = content.get("secrets", {})
    if not isinstance(secrets, dict):
        raise unreadable("document.secrets", "has to be an object")
    return ConfigDocument(revision, tuple(manifests), {name: decoded(name, keys) for name, keys in secrets.items()})


def inflated(data: bytes) -> bytes:
    """Decompress, bounded: a small document may not fill the memory."""
    inflate = zlib.decompressobj()
    try:
        text = inflate.decompress(data, INFLATED_LIMIT)
    except zlib.error as error:
        raise unreadable("document", "is not compressed by zlib") from error
    if inflate.unconsumed_tail:
        raise unreadable("document", f"is larger than {INFLATED_LIMIT} octets once decompressed")
    if not inflate.eof or inflate.unused_data:
        raise unreadable("document", "is cut short, or has more behind its end")
    return text


def parsed(text: bytes) -> dict[str, Any]:
    """The JSON object in a text."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        # The cause would carry the text, and with it the secrets.
        raise unreadable("document", "is not JSON") from None
    if not isinstance(content, dict):
        raise unreadable("document", "has to be a JSON object")
    return content


def decoded(name: str, keys: object) -> dict[str, Secret]:
    """The values of one Secret."""
    if not isinstance(keys, dict) or not all(isinstance(value, str) for value in keys.values()):
        raise unreadable(f"document.secrets[{name}]", "has to be an object of texts")
    return {key: secret(f"document.secrets[{name}].{key}", value) for key, value in keys.items()}


def secret(path: str, value: str) -> Secret:
    """One value, which is base64 of UTF-8."""
    try:
        return Secret(base64.b64decode(value, validate=True).decode())
    except (binascii.Error, ValueError):
        raise unreadable(path, "has to be base64 of a UTF-8 text") from None


def unreadable(field_path: str, description: str) -> InvalidArgumentError:
    """The error for a document that cannot be read."""
    return InvalidArgumentError(
        f"{field_path} {description}", reason="INVALID_DOCUMENT", violations=[FieldViolation(field_path, description)]
    )
