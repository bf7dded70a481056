"""Resources, settings and objects that tests of the builders share."""

from forebay.api.v1alpha1 import KINDS, Announcer, ConduitNode, Outfeed, Router, Spill, Store
from forebay_operator.resources import (
    ServiceNames,
    announcer_objects,
    conduitnode_objects,
    config_secret,
    outfeed_objects,
    purge_job,
    router_objects,
    store_objects,
    tls_secret,
    valkey_objects,
    valkey_secret,
)
from forebay_operator.settings import Settings
from manifests import manifest

UID = "7d3f1e52-6f0a-4c1b-9a57-0f6c2b9d4e11"
PASSWORD = "correct-horse"
KEY = b"-----BEGIN PRIVATE KEY-----"
DOCUMENT = b"\x78\x9cdocument"
SECRETS = (PASSWORD, KEY.decode())


def settings(**changes) -> Settings:
    return Settings.model_validate({"image": {"name": "forebay.example/service:1.0"}, **changes})


def resource(kind: str, name: str, **spec):
    return KINDS[kind].model_validate(manifest(kind, name, spec, uid=UID), by_name=False)


def outfeed(name: str = "hub", **spec) -> Outfeed:
    return resource("Outfeed", name, spillRef={"name": "main"}, **spec)


def feeding_outfeed(name: str = "hub", port: int = 1119) -> Outfeed:
    """An Outfeed that takes articles by NNTP too."""
    return outfeed(name, listeners={"nntp": {"port": port}})


def store(name: str = "shop", **spec) -> Store:
    return resource("Store", name, **spec)


def announcer(name: str = "swarm", **spec) -> Announcer:
    return resource("Announcer", name, **spec)


def router(name: str = "chat", **spec) -> Router:
    return resource("Router", name, **spec)


def conduitnode(name: str = "press", **spec) -> ConduitNode:
    return resource("ConduitNode", name, **spec)


def meeting_conduitnode(name: str = "press", **spec) -> ConduitNode:
    """A ConduitNode of two pods that has a listener of each kind."""
    return conduitnode(name, replicas=2, listeners={"multicast": {}, "tcp": {}}, **spec)


def listening_router(name: str = "chat", **spec) -> Router:
    """A Router of three pods to which others link over UDP."""
    key = {"secretRef": {"name": "links", "key": "key"}}
    return router(name, replicas=3, listeners={"udp": {"keyFrom": key}}, **spec)


def managed_spill(name: str = "main", durability: str = "everysec", **managed) -> Spill:
    return resource("Spill", name, managed=managed, durability=durability)


def given_spill(name: str = "main", **spec) -> Spill:
    return resource("Spill", name, **(spec or {"url": "redis://redis.example:6379/0"}))


def objects_of_outfeed(
    made: Outfeed | None = None, chosen: Settings | None = None, spill: str = "0123", monitoring=True
):
    return outfeed_objects(made or outfeed(), spill, chosen or settings(), monitoring=monitoring)


def objects_of_store(made: Store | None = None, chosen: Settings | None = None, monitoring=True):
    return store_objects(made or store(), chosen or settings(), monitoring=monitoring)


def objects_of_announcer(
    made: Announcer | None = None, chosen: Settings | None = None, spill: str = "", monitoring=True
):
    return announcer_objects(made or announcer(), spill, chosen or settings(), monitoring=monitoring)


def objects_of_conduitnode(
    made: ConduitNode | None = None, chosen: Settings | None = None, spill: str = "", monitoring=True
):
    return conduitnode_objects(made or conduitnode(), spill, chosen or settings(), monitoring=monitoring)


def objects_of_router(made: Router | None = None, chosen: Settings | None = None, spill: str = "", monitoring=True):
    return router_objects(made or router(), spill, chosen or settings(), monitoring=monitoring)


def objects_of_valkey(made: Spill | None = None, chosen: Settings | None = None, digest: str = "4567"):
    return valkey_objects(made or managed_spill(), digest, chosen or settings())


def secrets(name: str = "hub", spill: str = "main"):
    service = outfeed(name)
    names = ServiceNames.of(service)
    return [
        config_secret(service, 3, DOCUMENT),
        tls_secret(service, names.tls, b"chain", KEY, b"authorities"),
        tls_secret(service, names.client("kubectl"), b"chain", KEY, b"authorities"),
        valkey_secret(managed_spill(spill), PASSWORD),
    ]


def everything(name: str = "hub", spill: str = "main", chosen: Settings | None = None):
    """One of each object that the builders make."""
    chosen = chosen or settings()
    return [
        *objects_of_outfeed(feeding_outfeed(name), chosen),
        *objects_of_store(store(name), chosen),
        *objects_of_announcer(announcer(name), chosen, "0123"),
        *objects_of_router(listening_router(name), chosen, "0123"),
        *objects_of_conduitnode(meeting_conduitnode(name), chosen, "0123"),
        *objects_of_valkey(managed_spill(spill), chosen),
        purge_job(managed_spill(spill), "Outfeed", UID, chosen),
        *secrets(name, spill),
    ]


def one(objects, kind: str, name: str = ""):
    """The one object of that kind, and of that name where it is given."""
    found = [each for each in objects if each["kind"] == kind and name in ("", each["metadata"]["name"])]
    assert len(found) == 1, [each["metadata"]["name"] for each in found]
    return found[0]


def pod_templates(objects) -> dict:
    """Pod templates by the name of what they are in."""
    return {
        each["metadata"]["name"]: each["spec"]["template"] for each in objects if "template" in each.get("spec", {})
    }


def pod_spec(objects, kind: str = "StatefulSet"):
    return one(objects, kind)["spec"]["template"]["spec"]


def container(objects, kind: str = "StatefulSet"):
    (only,) = pod_spec(objects, kind)["containers"]
    return only
