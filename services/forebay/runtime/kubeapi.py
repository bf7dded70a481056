"""The few requests that a service itself sends to the Kubernetes API, with its pod's service account."""

import asyncio
import os
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp

from forebay.runtime.closing import Closing
from forebay.runtime.errors import LeaseError, SettingsError

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class Answer(NamedTuple):
    """What the API answered."""

    status: int
    body: dict[str, Any]


class KubeApi(Closing):
    """A connection to the API server. The token is read for each request, since Kubernetes renews the file."""

    def __init__(self, url: str, account: Path = ACCOUNT, timeout: float = 5.0) -> None:
        """`url` as `https://10.0.0.1:443`; `account`: folder of token, ca.crt and namespace; `timeout` in seconds."""
        self._account = account
        context = ssl.create_default_context(cafile=account / "ca.crt") if url.startswith("https:") else True
        self._session = aiohttp.ClientSession(
            url, connector=aiohttp.TCPConnector(ssl=context), timeout=aiohttp.ClientTimeout(total=timeout)
        )

    @property
    def namespace(self) -> str:
        """Where the pod is."""
        return (self._account / "namespace").read_text().strip()

    async def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Answer:
        """Send one request; any status is an answer.

        Raises `LeaseError` when there is none in time, or the answer is no JSON object.
        """
        try:
            token = await asyncio.to_thread((self._account / "token").read_text)
            headers = {"Authorization": f"Bearer {token.strip()}", "Accept": "application/json"}
            async with self._session.request(method, path, json=body, headers=headers) as response:
                content = await response.json(content_type=None)
        except (OSError, aiohttp.ClientError, ValueError, TimeoutError) as error:
            raise LeaseError(f"Kubernetes API, {method} {path}: {type(error).__name__} {error}".rstrip()) from error
        if not isinstance(content, dict):
            raise LeaseError(f"Kubernetes API, {method} {path}: the answer is no JSON object")
        return Answer(response.status, content)

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()


def in_cluster() -> KubeApi:
    """The API of the cluster that this pod runs in.

    Raises `SettingsError` outside of one.
    """
    host, port = os.environ.get("KUBERNETES_SERVICE_HOST"), os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    if not host:
        raise SettingsError("KUBERNETES_SERVICE_HOST is not set: this is no pod; without a cluster use a lock file")
    return KubeApi(f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}")
