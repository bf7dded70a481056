"""What the kinds of services share: where they listen, their certificates, who may call them."""

from typing import Annotated

from pydantic import Field

from forebay.api.model import Items, Model
from forebay.api.v1alpha1.metadata import LABEL, LONGEST_ACCESS, AccessRule, NamedSecret
from forebay.api.values import Text, Whole

Port = Annotated[int, Whole(1, 65535, "")]
BindAddress = Annotated[
    str,
    Text(
        r"^([0-9A-Za-z.-]+|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*)$",
        "an IP address or a host name, as 127.0.0.1 or ::; the port has a field of its own",
    ),
]
Access = Annotated[Items[AccessRule], Field(max_length=LONGEST_ACCESS)]
"""Who may call what over TLS."""
ClientName = Annotated[
    str, Text(f"^{LABEL}$", "lower-case letters, digits and '-', with a letter or digit at both ends", longest=63)
]
"""A name for which the operator issues a client certificate."""


class GrpcListener(Model):
    """Where gRPC is served."""

    address: BindAddress | None = None
    """Address to listen on. Left out: 127.0.0.1 without TLS, every address with it."""
    port: Port = 7119
    """Port to listen on."""


class HealthListener(Model):
    """Where health and metrics are shown, in plain HTTP."""

    address: BindAddress | None = None
    """Address to listen on. Left out: 127.0.0.1 without TLS, every address with it."""
    port: Port = 9119
    """Port to listen on."""


class ServerTls(Model):
    """Certificates of a service that are not the operator's own."""

    secret_ref: NamedSecret
    """A Secret as cert-manager makes it, with the keys `tls.crt`, `tls.key` and `ca.crt`. Used in a cluster alone."""
