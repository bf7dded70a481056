import pytest

from compactionobjects import compaction, spark_run, spark_settings
from forebay_operator.resources import purge_job, spark_application, spark_job
from operatorobjects import (
    UID,
    everything,
    feeding_outfeed,
    given_spill,
    objects_of_outfeed,
    pod_templates,
    settings,
)
from unit.operator.resources.podsecurity import CONTAINER_CONTROLS, POD_CONTROLS

APPLICATION = spark_application(spark_run(compaction(job="compact-outcomes")), spark_settings())["spec"]
PODS = {
    **pod_templates(everything()),
    "low port": pod_templates(objects_of_outfeed(feeding_outfeed(port=119)))["hub-outfeed"],
    "purge by URL": purge_job(given_spill(), "Outfeed", UID, settings())["spec"]["template"],
    "Spark's driver": APPLICATION["driver"]["template"],
    "Spark's executor": APPLICATION["executor"]["template"],
    "Spark alone": spark_job(spark_run(), spark_settings())["spec"]["template"],
}


@pytest.fixture(params=PODS.values(), ids=PODS.keys())
def pod(request):
    return request.param["spec"]


@pytest.mark.parametrize("control", POD_CONTROLS.values(), ids=POD_CONTROLS.keys())
def test_a_pod_holds_to_a_restricted_control(pod, control):
    assert control(pod)


@pytest.mark.parametrize("control", CONTAINER_CONTROLS.values(), ids=CONTAINER_CONTROLS.keys())
def test_a_container_holds_to_a_restricted_control(pod, control):
    assert all(control(pod, container) for container in pod["containers"])


def test_the_root_file_system_is_read_only(pod):
    assert all(each["securityContext"]["readOnlyRootFilesystem"] for each in pod["containers"])


def test_no_token_of_the_api_server_is_mounted_but_in_sparks_driver(pod):
    is_driver = pod["containers"][0]["name"] == "spark-kubernetes-driver"
    assert pod["automountServiceAccountToken"] is is_driver


def test_services_are_not_listed_in_the_environment(pod):
    assert pod["enableServiceLinks"] is False


def test_everything_is_mounted_read_only_but_data_and_tmp(pod):
    writable = {mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"] if not mount.get("readOnly")}
    assert writable <= {"/data", "/var/lib/forebay", "/tmp", "/var/data"}


def test_secrets_are_for_the_group_of_the_pod_alone(pod):
    modes = {volume["secret"]["defaultMode"] for volume in pod["volumes"] if "secret" in volume}
    assert modes <= {0o440}


def test_a_port_below_1024_is_bound_without_a_capability():
    context = PODS["low port"]["spec"]["securityContext"]
    assert context["sysctls"] == [{"name": "net.ipv4.ip_unprivileged_port_start", "value": "119"}]
