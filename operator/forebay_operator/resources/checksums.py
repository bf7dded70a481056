"""Checksums, which tell whether something changed."""

import hashlib
import json
from typing import Any

LENGTH = 32


def digest(value: Any) -> str:
    """Of an object, a pod template or any other JSON value: 32 hexadecimal digits, the same for the same content.

    Of a secret it may be shown only where nobody could find the secret by trying: of 128 random bits, say.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


def server_digest(url: str) -> str:
    """Of the server in the URL of a Redis, whoever logs in there.

    The text may come from a Secret and be no URL at all, so all that could be a password is left out.
    """
    scheme, separator, rest = url.partition("://")
    return digest([scheme, rest.rpartition("@")[2]] if separator else [])
