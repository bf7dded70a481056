"""Every right that the operator has is one that it uses: the API server's audit log is the witness."""

import asyncio
import json

import pytest
import yaml

from apiserver import ApiServer
from eventually import eventually
from forebay_operator.permissions import PERMISSIONS
from operatorsite import Site, chat, forwarder, hub, peerfeed, press, routerlink, shop, storequeue, tracker

Right = tuple[str, str, str]
"""Group, resource and verb."""
SPARK = ("compactions", "sparkapplications")
ENDED_RUN = ("batch", "jobs", "delete")
"""Rights of Compactions, which have tests of their own."""
GROUP, PLURAL = "monitoring.coreos.com", "servicemonitors"


def used(site: Site) -> set[Right]:
    """What the operator's account was allowed so far. A patch that made an object had to create it, too."""
    found = set()
    user = f"system:serviceaccount:{site.system}:forebay"
    for line in site.server.audit_log.read_text().splitlines():
        event = json.loads(line)
        status = event["responseStatus"]["code"]
        if event["user"]["username"] != user or status == 403 or "resource" not in event.get("objectRef", {}):
            continue
        what = event["objectRef"]
        resource = "/".join(part for part in (what["resource"], what.get("subresource")) if part)
        group = what.get("apiGroup", "")
        found.add((group, resource, event["verb"]))
        if event["verb"] == "patch" and status == 201:
            found.add((group, resource, "create"))
    return found


@pytest.fixture
def service_monitors(apiserver: ApiServer):
    """The kind of Prometheus' operator, as far as it matters."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": PLURAL, "kind": "ServiceMonitor"}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }
    apiserver.admin.apply(definition)
    apiserver.admin.kubectl("wait", "--for=condition=Established", "crd", definition["metadata"]["name"])
    yield
    apiserver.admin.kubectl("delete", "crd", definition["metadata"]["name"])


async def test_each_right_is_used(service_monitors, make_site):
    site = await make_site({"leaderElection": {"enabled": True}})
    await site.apply(*hub(clients=["reader"]), peerfeed("one"), shop(), storequeue("orders"))
    await site.apply(tracker(), forwarder("one", "udp://127.0.0.1:9"))
    await site.apply(chat(), routerlink("far", "far", "127.0.0.1:9"), press())
    await site.until_ready()
    await site.edit("Announcer", "swarm", listeners={"http": {"enabled": False}, "udp": {"enabled": False}})
    await site.edit("Outfeed", "hub", storage={"size": "2GiB"}, clients=[])
    await eventually(lambda: has_grown(site), within=90)
    await site.until_ready()
    await eventually(lambda: site.client.find("ServiceMonitor", site.namespace, "hub-outfeed"), within=90)
    await without_monitoring(site)
    await site.client.delete("Outfeed", site.namespace, "hub")
    await eventually(lambda: site.client.list("Job", site.namespace), within=90)
    await site.apply(shop("pair", mirrors=1))  # whose pods may keep a Lease
    rights = {(each.group, each.resource, verb) for each in PERMISSIONS for verb in each.verbs}
    rights -= {right for right in rights if right[1].startswith(SPARK) or right == ENDED_RUN}
    await eventually(lambda: are_used(site, rights), within=90, every=1)


async def without_monitoring(site: Site) -> None:
    """Start the operator again with another setting."""
    await asyncio.to_thread(site.operator.stop)
    site.operator.settings.write_text(yaml.safe_dump({**site.settings, "monitoring": {"serviceMonitor": False}}))
    site.operator.start()

    async def gone() -> bool:
        return await site.client.find("ServiceMonitor", site.namespace, "hub-outfeed") is None

    await eventually(gone, within=120, every=1)


def are_used(site: Site, rights: set[Right]) -> bool:
    unused = rights - used(site)
    assert not unused
    return True


async def has_grown(site: Site) -> bool:
    claim = await site.client.get("PersistentVolumeClaim", site.namespace, "data-hub-outfeed-0")
    return bool(claim["status"].get("capacity", {}).get("storage") == "2Gi")
