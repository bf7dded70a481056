"""What all resources share: their metadata, references, access lists, and the resource itself."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from forebay.api.model import Items, Model
from forebay.api.values import Text, Whole

ApiVersion = Literal["forebay.dev/v1alpha1"]
API_VERSION: ApiVersion = "forebay.dev/v1alpha1"

BLANKS = r"\x00-\x20\x7f"
"""Blanks and control characters, for use within [] of a pattern; the same in Python and in Kubernetes."""
WORD = f"^[^{BLANKS}]+$"
"""A text without blanks."""
LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
Name = Annotated[
    str,
    Text(rf"^{LABEL}(\.{LABEL})*$", "lower-case letters, digits, '-' and '.', with a letter or digit at both ends"),
]
"""A name of RFC 1123: a subdomain."""
ServiceName = Annotated[
    str,
    Text(f"^{LABEL}$", "lower-case letters, digits and '-', with a letter or digit at both ends", longest=40),
]
"""A name that Pods and Services are named after: a label of RFC 1123, with room for what they append."""

# What an API server adds; none of it matters to a service.
SERVER_FIELDS = frozenset(
    {
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "finalizers",
        "managedFields",
        "ownerReferences",
        "resourceVersion",
        "selfLink",
    }
)


class Metadata(Model):
    """Who a resource is."""

    name: Name
    """Its name, of its own among the resources of its kind and namespace."""
    namespace: Annotated[str, Text(f"^{LABEL}$", "a label of RFC 1123, as default")] = "default"
    """Its namespace."""
    uid: Annotated[str, Text(r"^[0-9A-Za-z-]*$", "letters, digits and '-'", longest=64)] = ""
    """Its identity, which a re-created resource of the same name does not share. Made where it is left out."""
    generation: Annotated[int, Whole(0, 2**63 - 1, "")] = 0
    """How often its spec was changed; counted by Kubernetes."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Labels; Forebay's services do not look at them."""
    annotations: dict[str, str] = Field(default_factory=dict)
    """Annotations; Forebay's services do not look at them."""

    @model_validator(mode="before")
    @classmethod
    def drop_server_fields(cls, value: Any) -> Any:
        """Leave out what an API server added."""
        return without(value, SERVER_FIELDS)


class ServiceMetadata(Metadata):
    """Who a resource is that Pods and Services are named after."""

    name: ServiceName
    """Its name, of its own among the resources of its kind and namespace."""


class Reference(Model):
    """Another resource of the same namespace."""

    name: Name
    """Its name."""


class NamedSecret(Model):
    """A Secret of the same namespace."""

    name: Name
    """Name of the Secret."""


class SecretReference(Model):
    """A key of a Secret of the same namespace."""

    name: Name
    """Name of the Secret."""
    key: Annotated[str, Text(r"^[-._a-zA-Z0-9]+$", "letters, digits, '-', '_' and '.'")]
    """The key in its data."""


LONGEST_ACCESS = 100
"""Rules of an access list, and methods in one of them."""
Method = Annotated[str, Text(r"^[A-Za-z0-9_.*?/]+$", "a method or a glob of methods, as Offer or OutfeedService/*")]


class AccessRule(Model):
    """Allows methods to a principal."""

    principal: Annotated[str, Text(WORD, "a name or a glob of names, as *.feeds.example")]
    """Name in the caller's certificate (a DNS name or URI of its subject alternative names), or a glob of names."""
    methods: Annotated[Items[Method], Field(min_length=1, max_length=LONGEST_ACCESS)] = ("*",)
    """Methods, or globs of methods: `Offer`, `OutfeedService/*` or `forebay.outfeed.v1.OutfeedService/Offer`."""


class Resource(Model):
    """One resource; `status`, which the operator writes, is left out."""

    api_version: ApiVersion = API_VERSION
    """Group and version."""
    kind: str
    """What it is."""
    metadata: Metadata
    """Who it is."""
    spec: Model
    """What it is to be."""

    parents: ClassVar[dict[str, str]] = {}
    """Kinds that the resource must find in its namespace, by the field of the spec that names them; empty where that
    field names the kind too."""

    @model_validator(mode="before")
    @classmethod
    def drop_status(cls, value: Any) -> Any:
        """Leave out the status."""
        return without(value, {"status"})

    def manifest(self) -> dict[str, Any]:
        """The resource as JSON has it, every default filled in."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    @property
    def identity(self) -> tuple[str, str, str]:
        """Kind, namespace and name."""
        return self.kind, self.metadata.namespace, self.metadata.name


def without(value: Any, names: frozenset[str] | set[str]) -> Any:
    """A mapping without some of its keys; anything else as it is."""
    return {key: item for key, item in value.items() if key not in names} if isinstance(value, dict) else value
