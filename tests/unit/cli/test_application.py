from forebay.api.manifests import Manifests
from forebay.api.v1alpha1 import API_VERSION, Spill
from forebay.cli.application import Answer, known_uids, result_rows, with_known_uids
from forebay.pb.config.v1 import config_pb2 as pb


def result(name="west", *, applied=True, **more):
    return pb.ResourceResult(kind="Peerfeed", namespace="default", name=name, applied=applied, **more)


def answer(*results):
    return Answer("127.0.0.1:1", pb.ApplyResponse(results=results))


def spill(name, uid=""):
    return Spill.model_validate(
        {
            "apiVersion": API_VERSION,
            "kind": "Spill",
            "metadata": {"name": name, "uid": uid},
            "spec": {"managed": {}},
        }
    )


def test_a_resource_is_applied_when_all_services_say_so():
    rows = result_rows([answer(result("east"), result()), answer(result("east", applied=False), result())])
    assert rows == [("Peerfeed", "east", "no", ""), ("Peerfeed", "west", "yes", "")]


def test_the_same_remark_of_two_services_is_told_once():
    violation = pb.FieldViolation(field="spec.window", description="is 0")
    same = result(applied=False, violations=[violation], warnings=["spec.x is unknown"])
    assert result_rows([answer(same), answer(same)]) == [
        ("Peerfeed", "west", "no", "spec.window: is 0\nspec.x is unknown")
    ]


def test_a_resource_keeps_the_identity_that_services_know():
    status = pb.GetStatusResponse(
        resources=[pb.ResourceResult(kind="Spill", namespace="default", name="main", uid="known")]
    )
    manifests = Manifests((spill("main"), spill("other"), spill("given", "its-own")))
    found = with_known_uids(manifests, known_uids([status]))
    assert [resource.metadata.uid for resource in found.resources] == ["known", "", "its-own"]
