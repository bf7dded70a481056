"""What every service stands on: server, configuration, TLS, authorization, metrics, logs, drain, lease, back-off.

What needs gRPC's server, aiohttp or the API's models is loaded when its name is first asked for: programs that want
no more than errors and back-offs, such as the workers of Spark, start a second earlier.
"""

from typing import TYPE_CHECKING

from forebay.latenames import late_names
from forebay.runtime.address import Address, parse_address
from forebay.runtime.backoff import Backoff, BackoffSettings
from forebay.runtime.bounded import ByteBudget
from forebay.runtime.clock import Clock, SystemClock
from forebay.runtime.document import ConfigDocument
from forebay.runtime.errors import (
    AbortedError,
    AddressError,
    AlreadyExistsError,
    CertificateError,
    DeadlineExceededError,
    DrainTimeoutError,
    FailedPreconditionError,
    FieldViolation,
    ForebayError,
    InsecureBindError,
    InternalError,
    InvalidArgumentError,
    LeaseError,
    NotFoundError,
    PermissionDeniedError,
    Resource,
    ResourceExhaustedError,
    ServiceError,
    SettingsError,
    TaskCrashedError,
    TracingUnavailableError,
    UnauthenticatedError,
    UnavailableError,
    UnimplementedError,
)
from forebay.runtime.filelease import FileLease
from forebay.runtime.lease import Lease, LeaseRecord, LeaseSettings
from forebay.runtime.logs import configure_logs
from forebay.runtime.revisions import ResourceResult
from forebay.runtime.secret import Secret
from forebay.runtime.tasks import Supervisor

if TYPE_CHECKING:
    from forebay.runtime.certificates import CertificateFolder
    from forebay.runtime.channel import ChannelSettings, ClientChannel
    from forebay.runtime.grpcserver import GrpcSettings
    from forebay.runtime.host import DrainSettings, Host, HostSettings, run, serve
    from forebay.runtime.interceptor import DeadlineSettings
    from forebay.runtime.kubeapi import KubeApi, in_cluster
    from forebay.runtime.kubelease import KubeLease
    from forebay.runtime.service import Degradation, Service
    from forebay.runtime.status import describe, from_rpc_error

_LOADED_LATER = {
    "CertificateFolder": ".certificates",
    "ChannelSettings": ".channel",
    "ClientChannel": ".channel",
    "DeadlineSettings": ".interceptor",
    "Degradation": ".service",
    "DrainSettings": ".host",
    "GrpcSettings": ".grpcserver",
    "Host": ".host",
    "HostSettings": ".host",
    "KubeApi": ".kubeapi",
    "KubeLease": ".kubelease",
    "Service": ".service",
    "describe": ".status",
    "from_rpc_error": ".status",
    "in_cluster": ".kubeapi",
    "run": ".host",
    "serve": ".host",
}

__all__ = [
    "AbortedError",
    "Address",
    "AddressError",
    "AlreadyExistsError",
    "Backoff",
    "BackoffSettings",
    "ByteBudget",
    "CertificateError",
    "CertificateFolder",
    "ChannelSettings",
    "ClientChannel",
    "Clock",
    "ConfigDocument",
    "DeadlineExceededError",
    "DeadlineSettings",
    "Degradation",
    "DrainSettings",
    "DrainTimeoutError",
    "FailedPreconditionError",
    "FieldViolation",
    "FileLease",
    "ForebayError",
    "GrpcSettings",
    "Host",
    "HostSettings",
    "InsecureBindError",
    "InternalError",
    "InvalidArgumentError",
    "KubeApi",
    "KubeLease",
    "Lease",
    "LeaseError",
    "LeaseRecord",
    "LeaseSettings",
    "NotFoundError",
    "PermissionDeniedError",
    "Resource",
    "ResourceExhaustedError",
    "ResourceResult",
    "Secret",
    "Service",
    "ServiceError",
    "SettingsError",
    "Supervisor",
    "SystemClock",
    "TaskCrashedError",
    "TracingUnavailableError",
    "UnauthenticatedError",
    "UnavailableError",
    "UnimplementedError",
    "configure_logs",
    "describe",
    "from_rpc_error",
    "in_cluster",
    "parse_address",
    "run",
    "serve",
]

if not TYPE_CHECKING:  # a checker of types shall miss no wrong name
    __getattr__ = late_names(__name__, _LOADED_LATER)
