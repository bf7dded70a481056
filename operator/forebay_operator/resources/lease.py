"""The right of a service's pods to keep the Lease that says which of them is primary."""

from forebay.api.v1alpha1 import Resource
from forebay_operator.body import Body
from forebay_operator.resources.ownership import owned

GROUP = "rbac.authorization.k8s.io"


def lease_rights(owner: Resource, role: str, name: str) -> list[Body]:
    """A Role and its binding to the service account of that name; the Lease has it too."""
    leases = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"]}
    rules = [
        # What is to be created has no name yet that a rule could go by.
        {**leases, "verbs": ["create"]},
        {**leases, "resourceNames": [name], "verbs": ["get", "update"]},
    ]
    reference = {"apiGroup": GROUP, "kind": "Role", "name": name}
    subject = {"kind": "ServiceAccount", "name": name, "namespace": owner.metadata.namespace}
    return [
        owned(owner, role, f"{GROUP}/v1", "Role", name, rules=rules),
        owned(owner, role, f"{GROUP}/v1", "RoleBinding", name, roleRef=reference, subjects=[subject]),
    ]
