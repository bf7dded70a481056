"""Asks an API server whether it would take a resource, over one connection, without creating it."""

import http.client
import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from kubeaccess import Access


class Admission:
    """One connection."""

    def __init__(self, connection: http.client.HTTPSConnection, token: str, namespace: str) -> None:
        self._connection = connection
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._namespace = namespace

    def refusal(self, manifest: dict[str, Any]) -> str:
        """Why the resource would be refused; empty when it would be taken."""
        plural = f"{manifest['kind'].lower()}s"
        path = f"/apis/forebay.dev/v1alpha1/namespaces/{self._namespace}/{plural}?dryRun=All&fieldValidation=Strict"
        self._connection.request("POST", path, json.dumps(manifest), self._headers)
        response = self._connection.getresponse()
        answer = json.loads(response.read())
        if response.status == 201:
            return ""
        assert response.status in (400, 422), answer
        return str(answer["message"])


@contextmanager
def admission(access: Access, namespace: str) -> Iterator[Admission]:
    """A connection of somebody, closed at the end."""
    address = urlsplit(access.url)
    context = ssl.create_default_context(cafile=access.authority)
    connection = http.client.HTTPSConnection(address.hostname or "", address.port, context=context)
    try:
        yield Admission(connection, access.token, namespace)
    finally:
        connection.close()
