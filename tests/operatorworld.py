"""A world of the operator in memory: its API server, its pods, its queue and its clock."""

from datetime import UTC, datetime, timedelta
from random import Random

from fakeclock import FakeClock
from fakekube import FakeKube, key_of
from fakepods import FakePods
from forebay.runtime.document import decode
from forebay_operator.handlers import OPTIONAL, OWNED
from forebay_operator.kube.kinds import POD, RESOURCES, SECRET, STATEFUL_SET, kind_of
from forebay_operator.queue import Depth, Key, WorkQueue
from forebay_operator.reconcile import Reconciler, make_world
from forebay_operator.reconcile.secretstore import octets_of
from forebay_operator.resources.labels import MANAGED_BY, MANAGER, UID
from operatorobjects import settings

NAMESPACE, OWN = "news", "system"
HUB = Key("Outfeed", NAMESPACE, "hub")
MAIN = Key("Spill", NAMESPACE, "main")
SHOP = Key("Store", NAMESPACE, "shop")
SWARM = Key("Announcer", NAMESPACE, "swarm")
CHAT = Key("Router", NAMESPACE, "chat")
PRESS = Key("ConduitNode", NAMESPACE, "press")
API = "forebay.dev/v1alpha1"


def resource(kind: str, name: str, namespace: str = NAMESPACE, **spec):
    """A resource as a user applies it."""
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name, "namespace": namespace}, "spec": spec}


def outfeed(name: str = "hub", **spec):
    return resource("Outfeed", name, spillRef={"name": "main"}, **spec)


def spill(name: str = "main", **spec):
    return resource("Spill", name, **(spec or {"url": "redis://redis.example:6379/0"}))


def store(name: str = "shop", **spec):
    return resource("Store", name, **spec)


def storequeue(name: str, **spec):
    return resource("StoreQueue", name, storeRef={"name": "shop"}, **spec)


def announcer(name: str = "swarm", **spec):
    return resource("Announcer", name, **spec)


def forwarder(name: str, **spec):
    return resource("Forwarder", name, announcerRef={"name": "swarm"}, **{"url": "udp://tracker.example:1", **spec})


def router(name: str = "chat", **spec):
    return resource("Router", name, **spec)


def conduitnode(name: str = "press", **spec):
    return resource("ConduitNode", name, **spec)


def routerlink(name: str, **spec):
    place = {"domain": name, "addresses": [f"{name}-router.other.svc:7720"]}
    return resource("RouterLink", name, routerRef={"name": "chat"}, **{**place, **spec})


def peerfeed(name: str, **spec):
    return resource("Peerfeed", name, outfeedRef={"name": "hub"}, **{"hosts": ["peer.example"], **spec})


class OperatorWorld:
    """Everything that one operator sees."""

    def __init__(self, **changes) -> None:
        """`changes` are of the operator's settings."""
        self.clock = FakeClock()
        self.kube = FakeKube()
        self.kube.watch = self.told
        self.kube.now = self.now
        self.pods = FakePods()
        self.settings = settings(**{"namespaces": [NAMESPACE], **changes})
        self.restart()

    def restart(self) -> None:
        """The operator ends and begins anew: it has forgotten everything, and the watches tell it all again."""
        self.queue = WorkQueue(self.clock, Random(0))
        self.world = make_world(self.kube, self.pods, self.settings, OWN, self.queue.put, self.now)
        self.reconciler = Reconciler(self.world)
        self.outcomes: dict[Key, str] = {}
        for body in list(self.kube.objects.values()):
            self.told(body)

    def now(self) -> datetime:
        return datetime(2026, 11, 27, tzinfo=UTC) + timedelta(seconds=self.clock.monotonic())

    def apply(self, *bodies) -> None:
        """A user applies resources."""
        for body in bodies:
            self.kube.put(body)

    def annotate(self, kind, name: str, **annotations) -> None:
        body = self.kube.get(kind, name)
        self.apply({**body, "metadata": {**body["metadata"], "annotations": annotations}})

    def delete(self, kind, name: str) -> None:
        """A user deletes something."""
        body = self.kube.get(kind, name)
        self.kube.remove(*key_of(body))
        self.collect(body["metadata"]["uid"])

    def collect(self, uid: str) -> None:
        """What the garbage collector does, once the owner of that uid is gone; pods go with their StatefulSet."""
        for body in list(self.kube.objects.values()):
            owners = [each["uid"] for each in body["metadata"].get("ownerReferences", [])]
            is_pod = body["kind"] == POD.kind and body["metadata"]["labels"].get(UID) == uid
            if uid in owners or is_pod:
                self.kube.remove(*key_of(body))

    def told(self, body, deleted: bool = False) -> None:
        """A watch tells of an object, if it is of a kind that is followed."""
        kind = kind_of(body)
        if kind in RESOURCES or (
            kind in (*OWNED, *OPTIONAL) and body["metadata"].get("labels", {}).get(MANAGED_BY) == MANAGER
        ):
            self.reconciler.notice(kind, body, deleted=deleted)

    async def settle(self, passes: int = 50) -> None:
        """Reconcile until nothing is due any more, with the node running what there is to run."""
        for _ in range(passes):
            self.run_pods()
            wait = self.queue.wait()
            if wait is None:
                return
            self.clock.advance(wait)
            if taken := self.queue.take():
                await self.reconcile(*taken)
        raise AssertionError(f"it does not come to rest: {len(self.queue)} resources wait")

    async def reconcile(self, key: Key, depth: Depth) -> None:
        try:
            self.outcomes[key] = await self.reconciler.reconcile(key, depth)
        except BaseException:
            self.queue.failed(key)
            raise
        self.queue.done(key)

    async def verify(self) -> None:
        """What the slow timer does."""
        for key in list(self.known):
            self.queue.put(key, Depth.VERIFY)
        await self.settle()

    @property
    def known(self) -> set[Key]:
        return self.world.known

    def run_pods(self) -> None:
        """Give each StatefulSet its pod, as the node would."""
        for kind, namespace, name in list(self.kube.objects):
            if kind == STATEFUL_SET.kind and ("Pod", namespace, f"{name}-0") not in self.kube.objects:
                template = self.kube.objects[kind, namespace, name]["spec"]["template"]
                pod = {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": {**template["metadata"], "name": f"{name}-0", "namespace": namespace},
                    "status": {
                        "phase": "Running",
                        "podIP": "192.0.2.1",
                        "conditions": [{"type": "Ready", "status": "True"}],
                    },
                }
                self.pods.services.pop(f"{name}-0", None)
                self.kube.put(pod)

    def service(self, name: str = "hub", role: str = "outfeed"):
        """The service in the pod of an Outfeed, or of another kind."""
        return self.pods.service(f"{name}-{role}-0")

    def ready(self, kind, name: str) -> tuple[str, str]:
        """Status and reason of a Ready condition."""
        return self.condition(kind, name, "Ready")

    def condition(self, kind, name: str, type_: str) -> tuple[str, str]:
        conditions = self.kube.get(kind, name).get("status", {}).get("conditions", [])
        return next(((each["status"], each["reason"]) for each in conditions if each["type"] == type_), ("", ""))


def stored(world, name: str = "hub-outfeed-config", child: str = "Peerfeed"):
    """The revision in a Secret, and the names of the Peerfeeds, or other children, that its document has."""
    data = octets_of(world.kube.get(SECRET, name))
    manifests = decode(1, data["document"]).manifests
    return int(data["revision"]), {each["metadata"]["name"] for each in manifests if each["kind"] == child}


def secret(name, **data):
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": "news"},
        "data": dict.fromkeys(data, "cGFzcw=="),
    }


def auth(name):
    return {"username": "us", "passwordFrom": {"secretRef": {"name": name, "key": "password"}}}
