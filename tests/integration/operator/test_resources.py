"""What the builders make, applied to a real API server as the operator applies it."""

import pytest

from eventually import eventually
from forebay.api.v1alpha1 import API_VERSION, KINDS
from forebay_operator.kube import kind_of
from forebay_operator.resources import (
    ServiceNames,
    config_secret,
    outfeed_objects,
    purge_job,
    store_objects,
    tls_secret,
    valkey_objects,
    valkey_secret,
)
from forebay_operator.settings import Settings
from kubeclient import APPLY, Body, KubeClient

RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}
SETTINGS = Settings.model_validate(
    {
        "image": {"name": "forebay.example/service:1.0", "pullSecrets": ["registry"]},
        "service": {
            "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "512Mi"}},
            "nodeSelector": {"disk": "ssd"},
            "tolerations": [{"key": "news", "operator": "Exists", "effect": "NoSchedule"}],
            "topologySpread": [{"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"}],
            "storageClass": "fast",
        },
    }
)
SPECS = {
    "Spill": {"managed": {"storage": "9GB", "memory": "100MB"}},
    "Outfeed": {"spillRef": {"name": "main"}, "listeners": {"nntp": {"port": 119}}},
    "Store": {"memory": {"limit": "300MiB"}, "storage": {"size": "9GiB"}},
}


@pytest.fixture
async def client(apiserver):
    async with KubeClient(apiserver.admin) as client:
        yield client


@pytest.fixture
async def objects(apiserver, client):
    """All that is made for an Outfeed with its Spill and for a Store, which are there."""
    namespace = apiserver.namespace("resources", **RESTRICTED)
    spill, outfeed, store = [await create(client, namespace, kind) for kind in ("Spill", "Outfeed", "Store")]
    names = ServiceNames.of(outfeed)
    return [
        config_secret(outfeed, 1, b"document"),
        tls_secret(outfeed, names.tls, b"chain", b"key", b"authorities"),
        valkey_secret(spill, "password"),
        *outfeed_objects(outfeed, "0123", SETTINGS, monitoring=False),
        *store_objects(store, SETTINGS, monitoring=False),
        *valkey_objects(spill, "4567", SETTINGS),
        purge_job(spill, "Outfeed", outfeed.metadata.uid, SETTINGS),
    ]


async def create(client: KubeClient, namespace: str, kind: str):
    """A resource as the API server has it."""
    made = await client.create(kind, namespace, {"metadata": {"name": "main"}, "spec": SPECS[kind]})
    assert made["apiVersion"] == API_VERSION
    return KINDS[kind].model_validate(made, by_name=False)


async def apply(client: KubeClient, body: Body, **query: str) -> Body:
    """Server-side apply; an unknown field is refused."""
    metadata = body["metadata"]
    place = kind_of(body).path(metadata["namespace"], metadata["name"]).removeprefix("/")
    strict = {"fieldManager": "forebay-operator", "force": "true", "fieldValidation": "Strict"}
    return await client.call("PATCH", place, body, APPLY, **strict, **query)


def unlike(wanted, found, path: str = "") -> list[str]:
    """Where an object differs from what was applied; what the API server added is no difference."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [each for key in wanted for each in unlike(wanted[key], found.get(key), f"{path}.{key}")]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        return [each for i, item in enumerate(wanted) for each in unlike(item, found[i], f"{path}[{i}]")]
    return [] if wanted == found else [f"{path}: {wanted!r} became {found!r}"]


async def test_the_api_server_keeps_every_field_as_it_was_applied(client, objects):
    for body in objects:
        assert unlike(body, await apply(client, body)) == []


async def test_applied_again_it_is_not_written(client, objects):
    for body in objects:
        await apply(client, body)
        # Controllers write its status meanwhile, but not for ever.
        await eventually(lambda body=body: unwritten(client, body))


async def unwritten(client: KubeClient, body: Body) -> bool:
    first, second = await apply(client, body), await apply(client, body)
    return first["metadata"]["resourceVersion"] == second["metadata"]["resourceVersion"]


async def test_every_pod_is_let_into_a_restricted_namespace(client, objects):
    for body in objects:
        await apply(client, body)
    templates = [body["spec"]["template"] for body in objects if "template" in body.get("spec", {})]
    assert len(templates) == 4
    for template in templates:
        namespace = objects[0]["metadata"]["namespace"]
        await client.call("POST", f"api/v1/namespaces/{namespace}/pods", pod(template), dryRun="All")


def pod(template: Body) -> Body:
    """A Pod of a template, with the claim that a StatefulSet adds."""
    spec = template["spec"]
    claim = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
    wanted = any(mount["name"] == "data" for mount in spec["containers"][0]["volumeMounts"])
    volumes = [*spec["volumes"], *([claim] if wanted else [])]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**template["metadata"], "name": "pod"},
        "spec": {**spec, "volumes": volumes},
    }
