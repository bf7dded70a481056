"""What can go wrong between the plugin and a cluster.

CliError
└── KubectlError        kubectl is missing, or said no
    ├── ForbiddenError  the cluster knows us, and does not let us do this
    ├── NotFoundError   the cluster has no such object
    └── ClusterError    the cluster is not reached
"""

from forebay.cli.errors import MISUSED, UNREACHABLE, CliError


class KubectlError(CliError):
    """There is no kubectl, or it ended with an error; the message is its own."""


class ForbiddenError(KubectlError):
    """The user of the kubeconfig may not do this."""


class NotFoundError(KubectlError):
    """The cluster has no object of this name, or does not know its kind."""

    status = MISUSED


class ClusterError(KubectlError):
    """The API server cannot be reached, or not as anybody it knows."""

    status = UNREACHABLE
