"""The chart as one release on the cluster."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from e2e.cluster import Body, Cluster, until
from helmchart import CHART, helm
from kubeaccess import KubectlError
from operatorprocess import is_fault

GROUP = "forebay.dev"
OPERATOR = "app.kubernetes.io/name=forebay-operator"


class Release:
    """Named after its namespace."""

    def __init__(self, cluster: Cluster, name: str, namespaces: Sequence[str], image: str) -> None:
        """`namespaces` are those in which it runs resources."""
        self.cluster = cluster
        self.name = name
        self.namespaces = list(namespaces)
        repository, _, tag = image.rpartition(":")
        image_values = {"repository": repository, "tag": tag, "pullPolicy": "IfNotPresent"}
        self.values: Body = {"namespaces": self.namespaces, "image": image_values}

    def helm(self, *arguments: object, stdin: str = "") -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": "/tmp", "KUBECONFIG": str(self.cluster.kubeconfig)}
        return helm(*arguments, "-n", self.name, stdin=stdin, environment=environment)

    def create_namespaces(self) -> None:
        """Make all; pods in them are held to the restricted standard."""
        for name in (self.name, *self.namespaces):
            labels = {"pod-security.kubernetes.io/enforce": "restricted"}
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
            until(lambda body=body: self.cluster.apply(body, namespace="default"))

    def install(self, chart: Path = CHART) -> None:
        """Install or upgrade, and wait for the operator."""
        options = ["--values", "-", "--wait", "--timeout", "120s"]
        self.helm("upgrade", "--install", self.name, chart, *options, stdin=json.dumps(self.values))

    def uninstall(self) -> None:
        self.helm("uninstall", self.name, "--wait", "--timeout", "120s")

    def remove(self) -> None:
        """Remove all that a run has made, namespaces and definitions too. The resources of an earlier run go first."""
        if self.name in self.helm("list", "--all", "--short").split():
            self.uninstall()
        for name in (*self.namespaces, self.name):
            self.cluster("delete", "namespace", name, "--ignore-not-found", "--timeout=120s")
        names = [name for name in self.cluster("get", "crds", "-o", "name").split() if name.endswith(GROUP)]
        if names:
            self.cluster("delete", *names, "--timeout=120s")

    def operators(self) -> list[Body]:
        """Pods of the operator."""
        return self.cluster.items("pods", self.name, "-l", OPERATOR)

    def faults(self) -> list[str]:
        """What the operator logged and should not have."""
        found = []
        for body in self.operators():
            try:
                lines = self.cluster("logs", "-n", self.name, body["metadata"]["name"], within=30).splitlines()
            except KubectlError:
                continue  # it has just begun, or ended
            found += filter(is_fault, lines)
        return found

    def wait_for_operator(self) -> None:
        """Wait until the Deployment has all its replicas."""
        self.cluster("rollout", "status", f"deployment/{self.name}", "-n", self.name, "--timeout=120s")
