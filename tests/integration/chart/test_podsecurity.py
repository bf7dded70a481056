"""All pods of the chart fit the restricted Pod Security Standard."""

import pytest

from .samples import each_sample, rendered


def pod_specs(bodies):
    for body in bodies:
        if body["kind"] == "Pod":
            yield body["spec"]
        elif body["kind"] == "Deployment":
            yield body["spec"]["template"]["spec"]


@each_sample
def test_pods_run_as_nobody_in_particular(sample):
    for spec in pod_specs(rendered(sample)):
        security = spec["securityContext"]
        assert security["runAsNonRoot"] is True
        assert security["runAsUser"] == 10001
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}


@each_sample
def test_containers_can_gain_nothing_and_write_nowhere(sample):
    for spec in pod_specs(rendered(sample)):
        for container in spec["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }


@pytest.mark.parametrize("field", ["hostNetwork", "hostPID", "hostIPC", "initContainers"])
def test_nothing_of_the_host_is_used(field):
    assert all(field not in spec for spec in pod_specs(rendered("everything")))


def test_the_operator_can_write_to_a_small_tmp_alone():
    (spec,) = (each for each in pod_specs(rendered("defaults")) if "volumes" in each)
    writable = [mount for mount in spec["containers"][0]["volumeMounts"] if not mount.get("readOnly")]
    assert [mount["mountPath"] for mount in writable] == ["/tmp"]
    (volume,) = (each for each in spec["volumes"] if each["name"] == writable[0]["name"])
    assert volume["emptyDir"]["sizeLimit"]
