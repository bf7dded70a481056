"""Who we are to the API server, for the watches."""

from datetime import UTC, datetime, timedelta
from typing import Any

import kopf

from forebay_operator.kube.connection import configuration

VALID = timedelta(minutes=10)
"""How long a token is used before its file is read again: Kubernetes renews it long before it ends."""


async def login(**_: Any) -> kopf.ConnectionInfo:
    """The same access as the client's, read anew. Raises `SettingsFileError`."""
    found = await configuration()
    authorization: str = await found.get_api_key_with_prefix("BearerToken") or ""
    scheme, _blank, token = authorization.partition(" ")
    return kopf.ConnectionInfo(
        server=found.host,
        ca_path=found.ssl_ca_cert,
        insecure=not found.verify_ssl,
        scheme=scheme or None,
        token=token or None,
        certificate_path=found.cert_file,
        private_key_path=found.key_file,
        expiration=datetime.now(UTC) + VALID,
    )
