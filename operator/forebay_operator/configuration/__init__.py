"""The configuration of a service, composed of the resources and Secrets that make it up. Pure."""

from forebay_operator.configuration.composition import (
    Composition,
    compose,
    compose_announcer,
    compose_conduitnode,
    compose_router,
    compose_store,
)
from forebay_operator.configuration.revision import next_revision
from forebay_operator.configuration.secrets import secrets_of, texts_of

__all__ = [
    "Composition",
    "compose",
    "compose_announcer",
    "compose_conduitnode",
    "compose_router",
    "compose_store",
    "next_revision",
    "secrets_of",
    "texts_of",
]
