import re

import pytest
from kubeflow_spark_api.models.spark_v1beta2_spark_application import SparkV1beta2SparkApplication

from compactionobjects import compaction, spark_run, spark_settings
from forebay_operator.resources import spark_application
from operatorobjects import PASSWORD, UID, given_spill, outfeed

JOBS = ("compact-spill", "compact-outcomes", "feed-report", "verify-messages")
PARTS = ("driver", "executor")


def made(chosen=None, target=None, **spec):
    return spark_application(spark_run(compaction(**spec), target), chosen or spark_settings())


def template(body, part="driver"):
    return body["spec"][part]["template"]


def mounts(body, part="driver"):
    (container,) = template(body, part)["spec"]["containers"]
    return {each["mountPath"]: each for each in container["volumeMounts"]}


def claims(body, part="driver"):
    """Names of claims by where they are seen."""
    sources = {each["name"]: each for each in template(body, part)["spec"]["volumes"]}
    found = {path: sources[each["name"]].get("persistentVolumeClaim") for path, each in mounts(body, part).items()}
    return {path: claim["claimName"] for path, claim in found.items() if claim}


@pytest.mark.parametrize("job", JOBS)
def test_it_is_what_kubeflows_models_know(job):
    """Nothing of it is unknown to them, or of another type."""
    body = made(job=job, volumes=[{"claim": "reports", "path": "/reports", "readOnly": True}])
    model = SparkV1beta2SparkApplication.from_dict(body)
    assert model is not None
    assert model.to_dict() == body


def test_its_name_is_a_label_of_rfc_1035_also_for_the_longest():
    body = spark_application(spark_run(compaction("n" * 40)), spark_settings())
    assert re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", body["metadata"]["name"])
    assert len(body["metadata"]["name"]) <= 63
    assert made()["metadata"]["name"] == "nightly-1-202611280300"


def test_it_goes_with_its_compaction():
    (owner,) = made()["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["controller"]) == ("Compaction", "nightly", True)
    assert "finalizers" not in made()["metadata"]


def test_it_tells_what_it_is_for():
    assert made()["metadata"]["annotations"] == {
        "forebay.dev/due": "2026-11-28T03:00:00Z",
        "forebay.dev/trigger": "Schedule",
        "forebay.dev/generation": "1",
    }


def test_the_job_is_told_where_and_whose_the_entries_are():
    assert made()["spec"]["arguments"] == [
        *("compact-spill", "--url-file", "/etc/forebay/spill/url", "--service", "outfeed", "--uid", "0f-1"),
        *("--figures", "/dev/termination-log"),
    ]


def test_limits_are_told_as_resources_have_them():
    arguments = made(limits={"maxAge": "10d", "maxSize": "1GB"})["spec"]["arguments"]
    assert arguments[7:11] == ["--max-age", "10d", "--max-bytes", "1GB"]


@pytest.mark.parametrize("part", PARTS)
def test_a_url_with_a_password_comes_from_its_secret_to_driver_and_executors(part):
    target = given_spill(urlFrom={"secretRef": {"name": "redis", "key": "address"}})
    body = made(target=target)
    assert mounts(body, part)["/etc/forebay/spill"]["readOnly"]
    (volume,) = [each for each in template(body, part)["spec"]["volumes"] if "secret" in each]
    assert volume["secret"]["items"] == [{"key": "address", "path": "url"}]
    assert PASSWORD not in str(body)


def test_a_url_without_a_password_is_an_argument():
    body = made(target=given_spill(url="redis://redis.example"))
    assert body["spec"]["arguments"][1:3] == ["--url", "redis://redis.example"]
    assert "/etc/forebay/spill" not in mounts(body)


@pytest.mark.parametrize(
    ("job", "arguments"),
    [
        ("compact-outcomes", ["--outcomes", "/var/lib/forebay/outfeed/news.hub/outcomes", "--to", "/mnt/outcomes"]),
        ("feed-report", ["--outcomes", "/mnt/outcomes", "--to", "/mnt/hub.html"]),
        ("verify-messages", ["--data", "/var/lib/forebay/outfeed/news.hub"]),
    ],
)
def test_a_job_of_an_outfeed_is_told_its_folders(job, arguments):
    assert made(job=job, output="/mnt")["spec"]["arguments"][1:-2] == arguments


@pytest.mark.parametrize("part", PARTS)
def test_a_job_of_an_outfeed_sees_its_volume_on_its_node(part):
    body = made(job="compact-outcomes", volumes=[{"claim": "reports", "path": "/reports"}])
    assert claims(body, part) == {"/var/lib/forebay": "data-hub-outfeed-0", "/reports": "reports"}
    (term,) = template(body, part)["spec"]["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert term["topologyKey"] == "kubernetes.io/hostname"
    assert term["labelSelector"]["matchLabels"] == {
        "app.kubernetes.io/name": "outfeed",
        "app.kubernetes.io/instance": "hub",
        "app.kubernetes.io/part-of": "forebay",
    }


def test_to_verify_is_only_to_read():
    assert mounts(made(job="verify-messages"))["/var/lib/forebay"]["readOnly"]
    assert "readOnly" not in mounts(made(job="compact-outcomes"))["/var/lib/forebay"]


def test_affinity_of_the_settings_stays():
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    theirs = {"topologyKey": "zone"}
    chosen = spark_settings(affinity={"nodeAffinity": {"a": 1}, "podAffinity": {required: [theirs], "b": 2}})
    affinity = template(made(chosen, job="verify-messages"))["spec"]["affinity"]
    assert affinity["nodeAffinity"] == {"a": 1}
    assert affinity["podAffinity"]["b"] == 2
    assert affinity["podAffinity"][required][0] == theirs
    assert len(affinity["podAffinity"][required]) == 2
    assert template(made(chosen))["spec"]["affinity"] == chosen.spark.affinity


@pytest.mark.parametrize("part", PARTS)
def test_pods_are_known_by_their_run_and_let_in_by_our_network_policies(part):
    labels = template(made(), part)["metadata"]["labels"]
    assert labels["forebay.dev/run"] == "nightly-1-202611280300"
    assert labels["app.kubernetes.io/component"] == part
    assert labels["forebay.dev/uid"] == UID
    assert labels["app.kubernetes.io/managed-by"] == "forebay-operator"
    assert labels["app.kubernetes.io/part-of"] == "forebay"


@pytest.mark.parametrize("part", PARTS)
def test_the_container_is_the_one_that_spark_looks_for(part):
    (container,) = template(made(), part)["spec"]["containers"]
    assert container["name"] == f"spark-kubernetes-{part}"
    assert container["terminationMessagePolicy"] == "FallbackToLogsOnError"
    assert "command" not in container
    assert "image" not in container


def test_the_driver_alone_may_ask_the_api_server():
    body = made()
    assert body["spec"]["driver"]["serviceAccount"] == "forebay-spark"
    tokens = [template(body, part)["spec"]["automountServiceAccountToken"] for part in PARTS]
    assert tokens == [True, False]


def test_sizes_are_those_of_the_spec():
    body = made(
        driver={"cores": 2, "memory": "2GiB"},
        executor={"instances": 3, "cores": 4, "coreRequest": "1", "memory": "1GiB"},
    )
    driver, executor = ({k: v for k, v in body["spec"][part].items() if k != "template"} for part in PARTS)
    assert driver == {"cores": 2, "coreRequest": "100m", "memory": "2048m", "serviceAccount": "forebay-spark"}
    assert executor == {"cores": 4, "coreRequest": "1", "memory": "1024m", "instances": 3}


def test_a_failed_run_is_tried_again_a_bounded_number_of_times():
    policy = made(retries=5)["spec"]["restartPolicy"]
    assert (policy["type"], policy["onFailureRetries"], policy["onSubmissionFailureRetries"]) == ("OnFailure", 5, 3)
    assert policy["onFailureRetryInterval"] > 0
    assert policy["onSubmissionFailureRetryInterval"] > 0


def test_it_goes_by_itself_at_last():
    assert made(history={"keep": "2d"})["spec"]["timeToLiveSeconds"] == 172_800


def test_no_network_policy_is_made_for_it():
    step = "org.apache.spark.deploy.k8s.features.NetworkPolicyFeatureStep"
    key = "spark.kubernetes.driver.pod.excludedFeatureSteps"
    assert made()["spec"]["sparkConf"][key] == step
    assert made(sparkConf={key: ""})["spec"]["sparkConf"][key] == ""


def test_image_and_version_are_the_settings_unless_the_spec_has_its_own():
    chosen = spark_settings(
        version="4.2.0", image={"name": "a", "pullPolicy": "Always", "pullSecrets": ["registry"]}, serviceAccount="sa"
    )
    spec = made(chosen)["spec"]
    assert (spec["image"], spec["sparkVersion"], spec["driver"]["serviceAccount"]) == ("a", "4.2.0", "sa")
    assert (spec["imagePullPolicy"], spec["imagePullSecrets"]) == ("Always", ["registry"])
    spec = made(chosen, image="b", sparkVersion="4.3.1")["spec"]
    assert (spec["image"], spec["sparkVersion"]) == ("b", "4.3.1")


def test_an_outfeeds_name_is_in_that_of_its_page():
    body = spark_application(spark_run(compaction(job="feed-report"), outfeed("east")), spark_settings())
    assert body["spec"]["arguments"][4] == "/var/lib/forebay/reports/east.html"
