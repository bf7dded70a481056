"""The names in certificates: who is called, and who calls."""

OPERATOR = "operator.forebay"
"""The operator, to all services."""


def server_name(workload: str, namespace: str) -> str:
    """The name that a service is checked against when its pods are called by address.

    `workload` is the name of its client Service, as `hub-outfeed`.
    """
    return f"{workload}.{namespace}.svc"


def server_names(workload: str, namespace: str) -> tuple[str, ...]:
    """All names under which a service can be reached: its Service's in each form, its pods', and by port-forward."""
    service = server_name(workload, namespace)
    return (
        service,
        workload,
        f"{workload}.{namespace}",
        f"{service}.cluster.local",
        f"*.{workload}-pods.{namespace}.svc",
        "localhost",
    )


def client_names(client: str, namespace: str) -> tuple[str, ...]:
    """Who a client of `spec.clients` is to the services of a namespace."""
    return (f"{client}.{namespace}.client.forebay",)
