"""A run of a Compaction as a Job of Kubernetes: one pod in which Spark does all, for clusters without its operator."""

from forebay.api.v1alpha1 import SparkDriver
from forebay_operator.body import Body
from forebay_operator.resources.body import given, quantity
from forebay_operator.resources.purge import spare_disruptions
from forebay_operator.resources.sparkpods import DRIVER, LOCAL, pod_template
from forebay_operator.resources.sparkrun import MAIN_FILE, MEBIBYTE, SparkRun, image_of, mebibytes, run_object
from forebay_operator.settings import Settings

SUBMIT = "/opt/spark/bin/spark-submit"
LEAST_OVERHEAD = 384 * MEBIBYTE


def spark_job(run: SparkRun, settings: Settings) -> Body:
    """The Job of a run. A Job never changes: create it, don't apply it again."""
    spec, pull = run.compaction.spec, settings.spark.image
    container = {
        "name": "spark",
        "image": image_of(run, settings),
        **given(imagePullPolicy=pull.pull_policy if pull else ""),
        "command": command(run),
        "resources": resources(spec.driver),
    }
    more = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        **given(imagePullSecrets=[{"name": name} for name in pull.pull_secrets] if pull else []),
    }
    body = {
        "backoffLimit": spec.retries,
        "activeDeadlineSeconds": int(spec.deadline.total_seconds()),
        "ttlSecondsAfterFinished": int(spec.history.keep.total_seconds()),
        "podFailurePolicy": {"rules": [spare_disruptions()]},
        "template": pod_template(run, DRIVER, settings, container, **more),
    }
    return run_object(run, "batch/v1", "Job", body)


def command(run: SparkRun) -> list[str]:
    """The command line of its pod."""
    driver = run.compaction.spec.driver
    configuration = run.configuration({"spark.local.dir": LOCAL})
    options = [word for name, value in configuration.items() for word in ("--conf", f"{name}={value}")]
    place = ["--master", f"local[{driver.cores}]", "--driver-memory", mebibytes(driver.memory)]
    return [SUBMIT, *place, *options, MAIN_FILE, *run.arguments]


def resources(driver: SparkDriver) -> Body:
    """Requests and limits: beside the heap, as much for Python as Spark itself would ask for."""
    memory = quantity(driver.memory + max(LEAST_OVERHEAD, driver.memory * 2 // 5 // MEBIBYTE * MEBIBYTE))
    return {"requests": {"cpu": driver.core_request, "memory": memory}, "limits": {"memory": memory}}
