"""Spill: the Redis or Valkey that spill queues live on."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from forebay.api.model import Model
from forebay.api.rules import ExactlyOne, OnlyGrows, Rule, Settled, Transition
from forebay.api.v1alpha1.metadata import BLANKS, WORD, Resource, SecretReference, ServiceMetadata
from forebay.api.values import Size, Text

MEBIBYTE = 1024**2
GIBIBYTE = 1024**3
HOST = rf"[^{BLANKS}@,/?#]+"
HOSTS = f"{HOST}(,{HOST})*"
URL_PATTERN = (
    rf"^(rediss?://{HOST}(/[0-9]*)?|rediss?\+sentinel://{HOSTS}/{HOST}(/[0-9]*)?|rediss?\+cluster://{HOSTS}/?"
    rf"|unix:///[^{BLANKS}@]+)$"
)
URL_FORM = (
    "redis://HOST:PORT/DB, redis+sentinel://HOST:PORT,HOST:PORT/SERVICE/DB, redis+cluster://HOST:PORT,HOST:PORT, each "
    "with rediss for TLS, or unix:///PATH, and no password: a URL with one belongs into a Secret that urlFrom names"
)


class Durability(StrEnum):
    """When an append counts as done."""

    EVERYSEC = "everysec"
    """When Redis has it."""
    ALWAYS = "always"
    """When Redis has it on its disk."""


class UrlSource(Model):
    """Where the URL is."""

    secret_ref: SecretReference
    """The key of a Secret whose value is the URL, with user and password if need be."""


class ManagedSpill(Model):
    """A Valkey that is run for this Spill."""

    transitions: ClassVar[tuple[Transition, ...]] = (OnlyGrows("storage"),)

    storage: Annotated[int, Size("1GiB", "64TiB")] = 8 * GIBIBYTE
    """Size of its volume in a cluster."""
    memory: Annotated[int, Size("64MiB", "1TiB")] = 512 * MEBIBYTE
    """Memory for the spilled entries. When it is full, appends fail, and what was to be spilled stays on disk here."""
    image: Annotated[str, Text(WORD, "the name of a container image", longest=512)] | None = None
    """Container image of the server in a cluster. Left out: the image of Forebay itself."""


class SpillSpec(Model):
    """The server, given or run, and its durability."""

    rules: ClassVar[tuple[Rule, ...]] = (ExactlyOne(("managed", "url", "urlFrom")),)
    transitions: ClassVar[tuple[Transition, ...]] = (Settled("managed", "the backlogs would stay where they are"),)

    url: Annotated[str, Text(URL_PATTERN, URL_FORM, longest=2048, secret=True)] | None = None
    """URL of a Redis or Valkey, 7.2 or later, without a password."""
    url_from: UrlSource | None = None
    """Where the URL is, when it holds a password."""
    managed: ManagedSpill | None = None
    """A Valkey is run for this Spill: a StatefulSet in a cluster, an embedded server without one."""
    durability: Durability = Durability.EVERYSEC
    """When an append counts as done: `everysec`, when Redis has it (a power loss may take the last second, which the
    service then queues again), or `always`, when Redis has it on its disk, which is slower."""


class Spill(Resource):
    """The Redis or Valkey that spill queues live on."""

    kind: Literal["Spill"] = "Spill"
    """What it is."""
    metadata: ServiceMetadata
    """Who it is."""
    spec: SpillSpec
    """What it is to be."""
