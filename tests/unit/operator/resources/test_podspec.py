import pytest

from operatorobjects import container, objects_of_outfeed, objects_of_valkey, pod_spec, settings

BUILDERS = {"service": objects_of_outfeed, "valkey": objects_of_valkey}


@pytest.fixture(params=BUILDERS)
def build(request):
    """Objects under the settings of one kind of pods."""
    return lambda **chosen: BUILDERS[request.param](chosen=settings(**{request.param: chosen}))


def test_placement_is_the_settings(build):
    toleration = {"key": "news", "operator": "Exists"}
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}
    pod = pod_spec(
        build(
            nodeSelector={"disk": "ssd"}, tolerations=[toleration], affinity=affinity, priorityClassName="feed-critical"
        )
    )
    assert pod["nodeSelector"] == {"disk": "ssd"}
    assert pod["tolerations"] == [toleration]
    assert pod["affinity"] == affinity
    assert pod["priorityClassName"] == "feed-critical"


def test_placement_that_is_not_set_is_the_clusters(build):
    assert not pod_spec(build()).keys() & {
        "nodeSelector",
        "tolerations",
        "affinity",
        "priorityClassName",
        "topologySpreadConstraints",
        "imagePullSecrets",
    }


def test_pods_of_a_kind_are_spread():
    constraint = {"topologyKey": "topology.kubernetes.io/zone", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"}
    pod = pod_spec(objects_of_outfeed(chosen=settings(service={"topologySpread": [constraint]})))
    assert pod["topologySpreadConstraints"] == [
        {
            **constraint,
            "labelSelector": {
                "matchLabels": {"app.kubernetes.io/name": "outfeed", "app.kubernetes.io/part-of": "forebay"}
            },
        }
    ]


def test_a_label_selector_that_is_given_stays(build):
    constraint = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}}}
    assert pod_spec(build(topologySpread=[constraint]))["topologySpreadConstraints"] == [constraint]


def test_resources_are_the_settings():
    wanted = {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}
    assert container(objects_of_outfeed(chosen=settings(service={"resources": wanted})))["resources"] == wanted


def test_the_image_is_pulled_as_the_settings_say():
    image = {"name": "a.example/b@sha256:c", "pullPolicy": "Never", "pullSecrets": ["registry"]}
    objects = objects_of_outfeed(chosen=settings(image=image))
    assert container(objects)["image"] == "a.example/b@sha256:c"
    assert container(objects)["imagePullPolicy"] == "Never"
    assert pod_spec(objects)["imagePullSecrets"] == [{"name": "registry"}]
