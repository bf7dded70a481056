"""Kubernetes Secrets given among the manifests, for running without a cluster. No message quotes a value of theirs."""

from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from forebay.api.errors import SecretError

Secrets = Mapping[str, Mapping[str, str]]
"""Values by `namespace/name` of a Secret, then by key."""

FIELDS = {"apiVersion", "kind", "metadata", "type", "data", "stringData", "immutable"}


def is_secret(value: object) -> bool:
    """Whether a manifest is a Secret of Kubernetes."""
    return isinstance(value, dict) and value.get("apiVersion") == "v1" and value.get("kind") == "Secret"


def read_secret(value: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """`namespace/name` of a Secret, and its values by key.

    Raises `SecretError` where it is not well formed.
    """
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    name, namespace = metadata.get("name"), metadata.get("namespace", "default")
    if not isinstance(name, str):
        raise SecretError("Secret: metadata.name is required; add it")
    if not isinstance(namespace, str):
        raise SecretError(f"Secret/{name}: metadata.namespace is no text; put it between quotes")
    if unknown := sorted(value.keys() - FIELDS):
        raise SecretError(f"Secret/{name}: {unknown[0]} is unknown; known are {', '.join(sorted(FIELDS))}")
    values = {key: decoded(name, key, text) for key, text in texts(name, value, "data").items()}
    return f"{namespace}/{name}", values | texts(name, value, "stringData")


def add_secret(secrets: dict[str, dict[str, str]], value: Mapping[str, Any]) -> None:
    """Read a Secret into others.

    Raises `SecretError` where it is not well formed, or there already.
    """
    title, values = read_secret(value)
    if title in secrets:
        raise SecretError(f"Secret/{title.partition('/')[2]}: is given twice; remove or rename one")
    secrets[title] = values


def secret_value(secrets: Secrets, title: str, key: str) -> str:
    """A value by `namespace/name` of its Secret and by its key.

    Raises `SecretError` when it is not there.
    """
    data = secrets.get(title)
    if data is None:
        raise SecretError(f"there is no Secret {title}; add it to the manifests")
    if key not in data:
        raise SecretError(f"the Secret {title} has no key {key}; add it")
    return data[key]


def texts(name: str, value: Mapping[str, Any], field: str) -> dict[str, str]:
    """A field of a Secret that maps keys to texts."""
    data = value.get(field)
    if data is None:
        return {}
    if not isinstance(data, dict) or not all(isinstance(text, str) for text in data.values()):
        raise SecretError(f"Secret/{name}: {field} does not map keys to texts; put the values between quotes")
    return data


def decoded(name: str, key: str, text: str) -> str:
    """The text that a value of `data` holds in base64."""
    try:
        return b64decode(text, validate=True).decode()
    except ValueError:
        # The error is not chained: its text would show what it could not decode.
        raise SecretError(f"Secret/{name}: data.{key} is no UTF-8 in base64; give it in stringData as it is") from None
