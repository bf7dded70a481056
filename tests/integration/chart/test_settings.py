"""The operator can read the settings that the chart writes."""

import pytest

from forebay_operator.settings import Settings, read_settings
from helmchart import of_kind

from .samples import PODS, SAMPLES, SPREAD, rendered


def settings_of(sample, folder) -> Settings:
    (body,) = (each for each in of_kind(rendered(sample), "ConfigMap") if "settings.yaml" in each["data"])
    path = folder / "settings.yaml"
    path.write_text(body["data"]["settings.yaml"])
    return read_settings(path)


@pytest.mark.parametrize("sample", SAMPLES)
def test_they_are_valid(sample, tmp_path):
    assert settings_of(sample, tmp_path)


def test_without_namespaces_it_is_that_of_the_release(tmp_path):
    settings = settings_of("defaults", tmp_path)
    assert settings.namespaces == ("system",)
    assert not settings.cluster_wide


def test_scope_and_election_arrive(tmp_path):
    assert settings_of("namespaces", tmp_path).namespaces == ("news", "more-news")
    assert settings_of("cluster-wide", tmp_path).cluster_wide
    assert settings_of("leader-election", tmp_path).leader_election


def test_services_get_the_operators_own_image(tmp_path):
    image = settings_of("everything", tmp_path).image
    assert image.name == f"localhost/forebay@sha256:{'0' * 64}"
    assert image.pull_policy == "Always"
    assert image.pull_secrets == ("registry",)


def test_what_pods_get_arrives(tmp_path):
    settings = settings_of("everything", tmp_path)
    assert settings.service.resources == PODS["resources"]
    assert settings.valkey.resources == {"requests": {"cpu": "50m"}}
    for pods in (settings.service, settings.valkey):
        assert pods.tolerations == tuple(PODS["tolerations"])
        assert pods.topology_spread == (SPREAD,)
        assert pods.storage_class == "fast"


def test_what_runs_compactions_arrives(tmp_path):
    spark = settings_of("everything", tmp_path).spark
    assert spark.image is not None
    assert (spark.image.name, spark.image.pull_policy) == ("example.com/spark:1", "Always")
    assert (spark.image.pull_secrets, spark.version) == (("registry",), "4.3.1")
    assert spark.affinity == PODS["affinity"]
    default = settings_of("defaults", tmp_path).spark
    assert default.image is not None
    assert (default.image.name, default.service_account) == ("localhost/forebay-spark:0.1.0", "it-forebay-spark")


def test_monitoring_can_be_left_out(tmp_path):
    assert not settings_of("little", tmp_path).monitoring.service_monitor


def test_labels_by_which_prometheus_selects_arrive(tmp_path):
    assert settings_of("monitoring", tmp_path).monitoring.labels == {"release": "prometheus"}
