"""The client of the API server."""

from forebay_operator.kube.client import FIELD_MANAGER, KubeClient
from forebay_operator.kube.connection import connect
from forebay_operator.kube.kinds import Kind, kind_of

__all__ = ["FIELD_MANAGER", "Kind", "KubeClient", "connect", "kind_of"]
