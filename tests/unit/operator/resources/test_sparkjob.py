from compactionobjects import compaction, spark_run, spark_settings
from forebay_operator.resources import spark_job
from operatorobjects import container, pod_spec


def made(chosen=None, **spec):
    return spark_job(spark_run(compaction(engine="Job", **spec)), chosen or spark_settings())


def test_spark_does_all_in_one_process():
    command = container([made(driver={"cores": 2, "memory": "2GiB"})], "Job")["command"]
    assert command[:5] == ["/opt/spark/bin/spark-submit", "--master", "local[2]", "--driver-memory", "2048m"]
    assert command[-10:-2] == [
        *("local:///opt/forebay/jobs.py", "compact-spill", "--url-file", "/etc/forebay/spill/url"),
        *("--service", "outfeed", "--uid", "0f-1"),
    ]


def test_configuration_of_the_spec_is_given_too():
    command = container([made(sparkConf={"spark.a": "b c", "spark.local.dir": "/mnt"})], "Job")["command"]
    assert command[command.index("spark.a=b c") - 1 :][:2] == ["--conf", "spark.a=b c"]
    assert "spark.local.dir=/mnt" in command
    assert "spark.local.dir=/var/data" not in command


def test_it_has_no_right_at_the_api_server():
    spec = pod_spec([made()], "Job")
    assert spec["automountServiceAccountToken"] is False
    assert "serviceAccountName" not in spec


def test_its_memory_is_the_heap_and_what_python_needs():
    small = container([made(driver={"memory": "512MiB"})], "Job")["resources"]
    assert small == {"requests": {"cpu": "100m", "memory": "896Mi"}, "limits": {"memory": "896Mi"}}
    large = container([made(driver={"memory": "10GiB"})], "Job")["resources"]
    assert large["limits"]["memory"] == "14Gi"


def test_it_ends_in_any_case_and_goes_away():
    spec = made(retries=4, deadline="30m", history={"keep": "1d"})["spec"]
    assert (spec["backoffLimit"], spec["activeDeadlineSeconds"]) == (4, 1800)
    assert spec["ttlSecondsAfterFinished"] == 86_400
    assert spec["template"]["spec"]["restartPolicy"] == "Never"


def test_a_drained_node_is_no_failure():
    assert made()["spec"]["podFailurePolicy"]["rules"] == [
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    ]


def test_its_image_is_that_of_the_settings_with_their_secrets():
    chosen = spark_settings(image={"name": "a", "pullPolicy": "Always", "pullSecrets": ["registry"]})
    assert container([made(chosen)], "Job")["image"] == "a"
    assert container([made(chosen)], "Job")["imagePullPolicy"] == "Always"
    assert pod_spec([made(chosen)], "Job")["imagePullSecrets"] == [{"name": "registry"}]


def test_it_carries_a_run_as_an_application_does():
    assert made()["metadata"]["annotations"]["forebay.dev/trigger"] == "Schedule"
    assert made()["metadata"]["name"] == "nightly-1-202611280300"
