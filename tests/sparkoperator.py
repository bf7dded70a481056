"""A stand-in for kubeflow's Spark operator, whose image is not at hand: it makes driver pods of SparkApplications.

What matters to Forebay is as in version 2.5: each try is a submission by spark-submit in cluster mode, with the pod
templates and options that the Spark operator would give; states come in its order, failed tries are repeated by the
restart policy, and pods go with their SparkApplication. The submission runs in a pod of the Spark image, since Spark
is there. There is no webhook, no time to live, and no port of the user interface.
"""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Self

import sparkcrd
from e2e.cluster import Body, Cluster, until
from kubeaccess import KubectlError

ACCOUNT = "spark-operator"
APP = "sparkoperator.k8s.io/app-name"
LAUNCHED = "sparkoperator.k8s.io/launched-by-spark-operator"
KIND = "sparkapplications.sparkoperator.k8s.io"
SUBMIT = "/opt/spark/bin/spark-submit"
TEMPLATES = "/templates"
STEP_SECONDS = 1.0
RIGHTS = [
    {
        "apiGroups": [""],
        "resources": ["pods", "services", "configmaps"],
        "verbs": ["get", "list", "create", "patch", "update", "delete"],
    },
]


@contextmanager
def spark_applications(cluster: Cluster) -> Iterator[None]:
    """The cluster knows SparkApplications. Once it does not any more, watches of them fail, and tell so."""
    cluster("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=json.dumps(sparkcrd.definition()))
    until(lambda: cluster.json("get", KIND, "-n", "default"))
    yield
    cluster("delete", "crd", KIND, "--ignore-not-found", "--timeout=60s")


class SparkOperator:
    """Follows the SparkApplications of one namespace, which the cluster knows, while it is entered."""

    def __init__(self, cluster: Cluster, namespace: str) -> None:
        self.cluster = cluster
        self.namespace = namespace
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="spark operator", daemon=True)
        self.problems: list[str] = []

    def __enter__(self) -> Self:
        self.cluster.apply(*account(self.namespace), namespace=self.namespace)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(STEP_SECONDS):
            try:
                self.step()
            except KubectlError as error:
                # As when something was deleted meanwhile; the next step sees it.
                self.problems.append(str(error))

    def step(self) -> None:
        """Look at all of them once."""
        pods = {body["metadata"]["name"]: body for body in self.cluster.items("pods", self.namespace, "-l", APP)}
        for app in self.cluster.items(KIND, self.namespace):
            if change := next_status(app, pods, datetime.now(UTC)):
                self._carry_out(app, change)

    def _carry_out(self, app: Body, status: Body) -> None:
        """Do what a change of state stands for, then tell it."""
        state = status["applicationState"]["state"]
        if state == "SUBMITTED":
            self.cluster.apply(*submission(app, status["submissionAttempts"]), namespace=self.namespace)
        elif state == "PENDING_RERUN":
            name = f"{app['metadata']['name']}-driver"
            self.cluster("delete", "pod", name, "-n", self.namespace, "--ignore-not-found")
        self.cluster(
            *("patch", KIND, app["metadata"]["name"], "-n", self.namespace, "--subresource=status", "--type=merge"),
            *("-p", json.dumps({"status": status})),
        )


def state_of(app: Body) -> str:
    return str(app.get("status", {}).get("applicationState", {}).get("state", ""))


def next_status(app: Body, pods: Mapping[str, Body], now: datetime) -> Body | None:
    """What the status of an application is to be changed to; None while nothing is to be told."""
    status, policy = app.get("status", {}), app["spec"]["restartPolicy"]
    state, name = state_of(app), app["metadata"]["name"]
    submissions, executions = status.get("submissionAttempts", 0), status.get("executionAttempts", 0)
    if state in ("", "PENDING_RERUN"):
        if f"{name}-driver" in pods:
            return None
        attempts = {"submissionAttempts": submissions + 1, "executionAttempts": executions + 1}
        return told("SUBMITTED", lastSubmissionAttemptTime=stamp(now), **attempts)
    if state == "SUBMITTED":
        submitter = pods.get(submitter_name(app, submissions), {})
        if phase(submitter) == "Failed":
            return told("SUBMISSION_FAILED", message(submitter))
    if state == "SUBMISSION_FAILED":
        retries = policy.get("onSubmissionFailureRetries", 0)
        return again(status, submissions <= retries, policy.get("onSubmissionFailureRetryInterval", 0), now)
    if state == "FAILING":
        retries = policy.get("onFailureRetries", 0)
        return again(status, executions <= retries, policy.get("onFailureRetryInterval", 0), now)
    if state in ("SUBMITTED", "RUNNING"):
        return by_driver(state, pods.get(f"{name}-driver", {}), now)
    if state == "SUCCEEDING":
        return told("COMPLETED")
    return None


def by_driver(state: str, driver: Body, now: datetime) -> Body | None:
    """What follows from the phase of a driver's pod."""
    if phase(driver) == "Running" and state == "SUBMITTED":
        return told("RUNNING", driverInfo={"podName": driver["metadata"]["name"]})
    if phase(driver) == "Succeeded":
        return told("SUCCEEDING", terminationTime=stamp(now))
    if phase(driver) == "Failed":
        return told("FAILING", f"driver container failed with {message(driver)}", terminationTime=stamp(now))
    return None


def again(status: Body, is_due: bool, interval: int, now: datetime) -> Body | None:
    """The next try, once its time has come, or the end."""
    if not is_due:
        return told("FAILED", status["applicationState"].get("errorMessage", ""), terminationTime=stamp(now))
    last = datetime.fromisoformat(status["lastSubmissionAttemptTime"])
    waited = (now - last).total_seconds()
    return told("PENDING_RERUN") if waited >= interval * status["submissionAttempts"] else None


def told(state: str, problem: str = "", **more: Any) -> Body:
    return {"driverInfo": {}, **more, "applicationState": {"state": state, "errorMessage": problem}}


def stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def phase(pod: Body) -> str:
    return str(pod.get("status", {}).get("phase", ""))


def message(pod: Body) -> str:
    """How a pod's container ended."""
    for container in pod["status"].get("containerStatuses", []):
        ended = container["state"].get("terminated", {})
        return f"ExitCode: {ended.get('exitCode')}, Reason: {ended.get('reason')}"
    return "no container"


def submitter_name(app: Body, attempt: int) -> str:
    return f"{app['metadata']['name']}-submit-{attempt}"


def submission(app: Body, attempt: int) -> list[Body]:
    """The pod that submits, with the templates that it gives to Spark."""
    metadata, name = app["metadata"], submitter_name(app, attempt)
    owner = {"apiVersion": app["apiVersion"], "kind": app["kind"], "name": metadata["name"], "uid": metadata["uid"]}
    head = {"name": name, "ownerReferences": [owner], "labels": {APP: metadata["name"]}}
    files = {f"{part}.json": json.dumps(template(app, part, owner)) for part in ("driver", "executor")}
    container = {
        "name": "submit",
        "image": app["spec"]["image"],
        "imagePullPolicy": "IfNotPresent",
        "command": [SUBMIT, *arguments(app, attempt)],
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [{"name": "templates", "mountPath": TEMPLATES}, {"name": "tmp", "mountPath": "/tmp"}],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "runAsNonRoot": True,
            "runAsUser": 10001,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    }
    spec = {
        "serviceAccountName": ACCOUNT,
        "restartPolicy": "Never",
        "containers": [container],
        "volumes": [{"name": "templates", "configMap": {"name": name}}, {"name": "tmp", "emptyDir": {}}],
    }
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": head, "data": files},
        {"apiVersion": "v1", "kind": "Pod", "metadata": head, "spec": spec},
    ]


def template(app: Body, part: str, owner: Body) -> Body:
    """The template of a part, which the SparkApplication owns: Spark lets the driver own the executors as well."""
    own = app["spec"][part]["template"]
    return {"apiVersion": "v1", "kind": "Pod", **own, "metadata": {**own["metadata"], "ownerReferences": [owner]}}


def arguments(app: Body, attempt: int) -> list[str]:
    """Those of spark-submit."""
    words = ["--master", "k8s://https://kubernetes.default.svc", "--deploy-mode", app["spec"]["mode"]]
    words += ["--name", app["metadata"]["name"]]
    for key, value in configuration(app, attempt):
        words += ["--conf", f"{key}={value}"]
    return [*words, app["spec"]["mainApplicationFile"], *app["spec"]["arguments"]]


def configuration(app: Body, attempt: int) -> Iterator[tuple[str, Any]]:
    """Spark's, as the Spark operator gives it."""
    spec, metadata = app["spec"], app["metadata"]
    kubernetes = "spark.kubernetes"
    yield f"{kubernetes}.namespace", metadata["namespace"]
    yield f"{kubernetes}.container.image", spec["image"]
    yield f"{kubernetes}.container.image.pullPolicy", spec["imagePullPolicy"]
    yield f"{kubernetes}.submission.waitAppCompletion", "false"
    yield f"{kubernetes}.driver.pod.name", f"{metadata['name']}-driver"
    yield f"{kubernetes}.authenticate.driver.serviceAccountName", spec["driver"]["serviceAccount"]
    yield "spark.executor.instances", spec["executor"]["instances"]
    yield from spec["sparkConf"].items()
    for part in ("driver", "executor"):
        yield f"{kubernetes}.{part}.podTemplateFile", f"{TEMPLATES}/{part}.json"
        yield f"{kubernetes}.{part}.podTemplateContainerName", f"spark-kubernetes-{part}"
        yield f"{kubernetes}.{part}.request.cores", spec[part]["coreRequest"]
        yield f"spark.{part}.cores", spec[part]["cores"]
        yield f"spark.{part}.memory", spec[part]["memory"]
        yield f"{kubernetes}.{part}.label.{APP}", metadata["name"]
        yield f"{kubernetes}.{part}.label.{LAUNCHED}", "true"
        yield f"{kubernetes}.{part}.label.sparkoperator.k8s.io/submission-id", f"{metadata['uid']}-{attempt}"
    for key, value in metadata.get("labels", {}).items():
        yield f"{kubernetes}.driver.label.{key}", value


def account(namespace: str) -> list[Body]:
    """Who submits."""
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": ACCOUNT}
    group = "rbac.authorization.k8s.io/v1"
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ACCOUNT}},
        {"apiVersion": group, "kind": "Role", "metadata": {"name": ACCOUNT}, "rules": RIGHTS},
        {
            "apiVersion": group,
            "kind": "RoleBinding",
            "metadata": {"name": ACCOUNT},
            "roleRef": role,
            "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": namespace}],
        },
    ]
