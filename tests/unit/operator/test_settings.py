import pytest

from forebay_operator.errors import SettingsFileError
from forebay_operator.settings import read_settings

WHOLE = """
namespaces: [news, test]
clusterWide: true
image: {name: "forebay.example/service:1.0", pullPolicy: Always, pullSecrets: [registry]}
service:
  resources: {requests: {cpu: 100m}}
  nodeSelector: {disk: ssd}
  tolerations: [{key: news}]
  affinity: {nodeAffinity: {}}
  priorityClassName: high
  topologySpread: [{topologyKey: zone}]
  storageClass: fast
valkey: {storageClass: slow}
monitoring: {serviceMonitor: false, labels: {release: prometheus}}
leaderElection: true
"""


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "settings.yaml"
        path.write_text(text)
        return read_settings(path)

    return read


def test_a_whole_file(read):
    settings = read(WHOLE)
    assert settings.namespaces == ("news", "test")
    assert settings.image.pull_secrets == ("registry",)
    assert settings.service.node_selector == {"disk": "ssd"}
    assert settings.valkey.storage_class == "slow"
    assert settings.monitoring.labels == {"release": "prometheus"}
    assert settings.leader_election


def test_the_image_and_a_namespace_are_all_that_is_needed(read):
    settings = read("image: {name: x}\nnamespaces: [news]")
    assert not settings.cluster_wide
    assert settings.monitoring.service_monitor


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("{}", "image: is required", id="nothing"),
        pytest.param("", "is no mapping", id="empty"),
        pytest.param("image: {name: x}\nnamespace: [a]", "did you mean namespaces?", id="misspelt"),
        pytest.param("image: {name: x}\nclusterWide: maybe", "clusterWide: ", id="no flag"),
        pytest.param("image: {name: x}\nnamespaces: [A_b]", "namespaces[0]: ", id="no name"),
        pytest.param("image: {name: x}", "namespaces: is empty", id="no namespace"),
        pytest.param("image: [", "is no YAML", id="no YAML"),
    ],
)
def test_what_is_wrong_is_told_with_the_field(read, text, told):
    with pytest.raises(SettingsFileError, match=r"settings\.yaml: ") as caught:
        read(text)
    assert told in str(caught.value)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(SettingsFileError, match="can't be read"):
        read_settings(tmp_path / "none.yaml")
