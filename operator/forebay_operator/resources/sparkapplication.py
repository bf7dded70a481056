"""A run of a Compaction as a SparkApplication of kubeflow's Spark operator (`sparkoperator.k8s.io/v1beta2`)."""

from forebay.api.v1alpha1 import SparkDriver, SparkExecutor
from forebay_operator.body import Body
from forebay_operator.resources.body import given
from forebay_operator.resources.sparkpods import DRIVER, EXECUTOR, pod_template
from forebay_operator.resources.sparkrun import MAIN_FILE, SparkRun, image_of, mebibytes, run_object
from forebay_operator.settings import Settings

API_VERSION, KIND = "sparkoperator.k8s.io/v1beta2", "SparkApplication"
CONFIGURATION = {
    # Else the submission makes a NetworkPolicy, which a Spark operator's account may have no right to.
    "spark.kubernetes.driver.pod.excludedFeatureSteps": (
        "org.apache.spark.deploy.k8s.features.NetworkPolicyFeatureStep"
    ),
    # A driver may make and delete pods alone, so it has no claims, Services or files to clear away.
    "spark.kubernetes.driver.ownPersistentVolumeClaim": "false",
    "spark.kubernetes.driver.service.deleteOnTermination": "false",
    "spark.kubernetes.executor.disableConfigMap": "true",
}
RETRY_SECONDS = 30
SUBMISSION_RETRIES, SUBMISSION_RETRY_SECONDS = 3, 20
"""Tries of the Spark operator to make a driver, which does not work while it starts itself, say."""


def spark_application(run: SparkRun, settings: Settings) -> Body:
    """The SparkApplication of a run. Create it, and don't apply it again: any change begins the run anew.

    Pods are told by templates, which Spark itself reads: so nothing depends on the webhook of the Spark operator.
    """
    spec, spark = run.compaction.spec, settings.spark
    pull = spark.image
    body = {
        "type": "Python",
        "pythonVersion": "3",
        "mode": "cluster",
        "image": image_of(run, settings),
        **given(
            imagePullPolicy=pull.pull_policy if pull else "", imagePullSecrets=list(pull.pull_secrets) if pull else []
        ),
        "sparkVersion": spec.spark_version or spark.version,
        "mainApplicationFile": MAIN_FILE,
        "arguments": run.arguments,
        "sparkConf": run.configuration(CONFIGURATION),
        "restartPolicy": {
            "type": "OnFailure",
            "onFailureRetries": spec.retries,
            "onFailureRetryInterval": RETRY_SECONDS,
            "onSubmissionFailureRetries": SUBMISSION_RETRIES,
            "onSubmissionFailureRetryInterval": SUBMISSION_RETRY_SECONDS,
        },
        "timeToLiveSeconds": int(spec.history.keep.total_seconds()),
        "driver": {
            **_size(spec.driver),
            "serviceAccount": spark.service_account,
            # It makes the executors.
            "template": _template(run, DRIVER, settings, has_token=True),
        },
        "executor": {
            **_size(spec.executor),
            "instances": spec.executor.instances,
            "template": _template(run, EXECUTOR, settings, has_token=False),
        },
    }
    return run_object(run, API_VERSION, KIND, body)


def _size(part: SparkDriver | SparkExecutor) -> Body:
    return {"cores": part.cores, "coreRequest": part.core_request, "memory": mebibytes(part.memory)}


def _template(run: SparkRun, component: str, settings: Settings, *, has_token: bool) -> Body:
    container = {"name": f"spark-kubernetes-{component}"}
    return pod_template(run, component, settings, container, automountServiceAccountToken=has_token)
