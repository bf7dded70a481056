"""The kinds of objects that the operator deals with, and where the API server has them."""

from dataclasses import dataclass

from forebay_operator.body import Body


@dataclass(frozen=True)
class Kind:
    """A kind of namespaced objects."""

    group: str
    """API group; empty for the core."""
    version: str
    kind: str
    plural: str

    @property
    def api_version(self) -> str:
        """As manifests have it: `apps/v1`, or `v1` for the core."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str, name: str = "", subresource: str = "") -> str:
        """Path of a URL: of one object, of all in a namespace, or, without one, of all."""
        parts = [f"apis/{self.group}" if self.group else "api", self.version]
        parts += ["namespaces", namespace] if namespace else []
        return "/" + "/".join(filter(None, (*parts, self.plural, name, subresource)))


SPILL = Kind("forebay.dev", "v1alpha1", "Spill", "spills")
OUTFEED = Kind("forebay.dev", "v1alpha1", "Outfeed", "outfeeds")
PEERFEED = Kind("forebay.dev", "v1alpha1", "Peerfeed", "peerfeeds")
COMPACTION = Kind("forebay.dev", "v1alpha1", "Compaction", "compactions")
STORE = Kind("forebay.dev", "v1alpha1", "Store", "stores")
STORE_QUEUE = Kind("forebay.dev", "v1alpha1", "StoreQueue", "storequeues")
ANNOUNCER = Kind("forebay.dev", "v1alpha1", "Announcer", "announcers")
FORWARDER = Kind("forebay.dev", "v1alpha1", "Forwarder", "forwarders")
ROUTER = Kind("forebay.dev", "v1alpha1", "Router", "routers")
ROUTER_LINK = Kind("forebay.dev", "v1alpha1", "RouterLink", "routerlinks")
CONDUIT_NODE = Kind("forebay.dev", "v1alpha1", "ConduitNode", "conduitnodes")
EVENT = Kind("", "v1", "Event", "events")
POD = Kind("", "v1", "Pod", "pods")
SECRET = Kind("", "v1", "Secret", "secrets")
SERVICE = Kind("", "v1", "Service", "services")
SERVICE_ACCOUNT = Kind("", "v1", "ServiceAccount", "serviceaccounts")
VOLUME_CLAIM = Kind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims")
STATEFUL_SET = Kind("apps", "v1", "StatefulSet", "statefulsets")
JOB = Kind("batch", "v1", "Job", "jobs")
NETWORK_POLICY = Kind("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies")
DISRUPTION_BUDGET = Kind("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets")
ROLE = Kind("rbac.authorization.k8s.io", "v1", "Role", "roles")
ROLE_BINDING = Kind("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings")
SERVICE_MONITOR = Kind("monitoring.coreos.com", "v1", "ServiceMonitor", "servicemonitors")
SPARK_APPLICATION = Kind("sparkoperator.k8s.io", "v1beta2", "SparkApplication", "sparkapplications")

RESOURCES = (
    SPILL,
    OUTFEED,
    PEERFEED,
    COMPACTION,
    STORE,
    STORE_QUEUE,
    ANNOUNCER,
    FORWARDER,
    ROUTER,
    ROUTER_LINK,
    CONDUIT_NODE,
)
"""Forebay's own kinds."""
KINDS = (
    *RESOURCES,
    EVENT,
    POD,
    SECRET,
    SERVICE,
    SERVICE_ACCOUNT,
    VOLUME_CLAIM,
    STATEFUL_SET,
    JOB,
    NETWORK_POLICY,
    DISRUPTION_BUDGET,
    ROLE,
    ROLE_BINDING,
    SERVICE_MONITOR,
    SPARK_APPLICATION,
)
_BY_NAME = {(kind.api_version, kind.kind): kind for kind in KINDS}


def kind_of(body: Body) -> Kind:
    """The kind of an object, by its `apiVersion` and `kind`.

    Raises `KeyError` for one that the operator has nothing to do with.
    """
    return _BY_NAME[body["apiVersion"], body["kind"]]
