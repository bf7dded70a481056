import base64

import pytest

from authority import Authority
from kubeaccess import in_thread
from kubeclient import KubeClient

from .command import Plugin


def condition(kind, status="True", reason="Because", message="so it is"):
    since = "2026-01-31T12:00:00Z"
    return {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": since}


def made(role, instance):
    """Labels of what the operator makes."""
    return {
        "app.kubernetes.io/name": role,
        "app.kubernetes.io/instance": instance,
        "app.kubernetes.io/managed-by": "forebay-operator",
    }


def pod_spec(role):
    return {"restartPolicy": "Never", "containers": [{"name": role, "image": "forebay"}]}


class Place:
    """A namespace, and what a test puts there in the place of the operator."""

    def __init__(self, name, client):
        self.name = name
        self.client = client

    async def create(self, kind, name, labels=None, **content):
        metadata = {"name": name, "labels": labels or {}}
        await self.client.create(kind, self.name, {"metadata": metadata, **content})

    async def resource(self, kind, name, *conditions, spec, **status):
        """A custom resource; with conditions, one that the operator has looked at."""
        await self.create(kind, name, spec=spec)
        if conditions:
            await self.status(kind, name, observedGeneration=1, conditions=conditions, **status)

    async def status(self, kind, name, **status):
        await self.client.patch(kind, self.name, name, {"status": status}, "status")

    async def pod(self, name, role, instance):
        """A pod that runs and is ready."""
        await self.create("Pod", name, made(role, instance), spec=pod_spec(role))
        await self.status("Pod", name, phase="Running", conditions=[condition("Ready")])

    async def issue(self, authority, client, *names, service="hub-outfeed"):
        """The Secret of a client of a service."""
        chain, key = authority.issue(client, *names)
        files = {"tls.crt": chain, "tls.key": key, "ca.crt": authority.pem}
        data = {file: base64.b64encode(content).decode() for file, content in files.items()}
        await self.create("Secret", f"{service}-client-{client}", data=data)


@pytest.fixture
async def place(apiserver):
    name = await in_thread(apiserver.namespace, "kubectl")
    async with KubeClient(apiserver.admin) as client:
        yield Place(name, client)


@pytest.fixture
def plugin(apiserver, tmp_path):
    return Plugin(tmp_path, apiserver.kubeconfig)


@pytest.fixture
def authority():
    return Authority()
