import pytest

from forebay.api.v1alpha1 import API_VERSION, Outfeed, Store
from forebay.cli.ensemble import unapplied
from forebay.cli.hosting import Hosting
from forebay.cli.targets import grpc_address, nntp_host


def outfeed(name="hub", **listeners):
    return Outfeed.model_validate(
        {
            "apiVersion": API_VERSION,
            "kind": "Outfeed",
            "metadata": {"name": name},
            "spec": {"spillRef": {"name": "main"}, "listeners": listeners},
        }
    )


def store(name="main", **listeners):
    return Store.model_validate(
        {"apiVersion": API_VERSION, "kind": "Store", "metadata": {"name": name}, "spec": {"listeners": listeners}}
    )


def settings(outfeed, tmp_path, **options):
    return Hosting(tmp_path, **options).settings(outfeed)


def test_without_tls_a_service_listens_on_loopback(tmp_path):
    found = settings(outfeed(grpc={"port": 7000}), tmp_path)
    assert (found.grpc.listen, found.http) == ("127.0.0.1:7000", "127.0.0.1:9119")


def test_with_tls_it_listens_everywhere(tmp_path):
    found = settings(outfeed(), tmp_path, tls=tmp_path)
    assert (found.grpc.listen, found.http) == ("[::]:7119", "[::]:9119")
    assert not found.grpc.reflection


def test_an_address_in_the_manifest_counts(tmp_path):
    found = settings(outfeed(grpc={"address": "10.0.0.1"}), tmp_path, insecure=True)
    assert found.grpc.listen == "10.0.0.1:7119"
    assert found.grpc.insecure


def test_operator_and_traces_are_handed_on(tmp_path):
    found = settings(outfeed(), tmp_path, operator="operator.*", traces="http://collector:4317")
    assert (found.operator, found.traces) == ("operator.*", "http://collector:4317")


def test_a_store_has_ports_of_its_own_and_takes_large_messages(tmp_path):
    found = settings(store(), tmp_path)
    assert (found.grpc.listen, found.http) == ("127.0.0.1:7672", "127.0.0.1:9672")
    assert found.grpc.receive_limit == found.grpc.send_limit > 64 * 1024 * 1024
    assert settings(outfeed(), tmp_path).grpc.receive_limit == 16 * 1024 * 1024


def test_services_of_the_same_name_have_folders_of_their_own(tmp_path):
    folders = [Hosting(tmp_path).folder(each) for each in (outfeed("main"), store("main"))]
    assert folders == [tmp_path / "outfeed" / "default.main", tmp_path / "store" / "default.main"]


def test_the_address_for_health_can_be_overridden(tmp_path):
    assert settings(outfeed(), tmp_path, http="127.0.0.1:0").http == "127.0.0.1:0"


@pytest.mark.parametrize(
    ("listening", "reached"),
    [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::", "::1"), ("192.0.2.7", "192.0.2.7")],
)
def test_a_target_is_reached_where_it_listens(listening, reached):
    assert nntp_host(outfeed(nntp={"address": listening})) == reached


def test_grpc_is_reached_where_it_listens():
    assert grpc_address(store()) == "127.0.0.1:7672"
    assert grpc_address(outfeed(grpc={"port": 7})) == "127.0.0.1:7"
    assert grpc_address(outfeed(grpc={"address": "::"})) == "[::1]:7119"


def test_a_changed_nntp_listener_needs_no_restart():
    before, now = outfeed(nntp={"port": 1}), outfeed(nntp={"port": 2})
    assert list(unapplied({("Outfeed", "default", "hub"): before}, [now])) == []


def test_a_changed_grpc_listener_needs_a_restart():
    (problem,) = unapplied({("Outfeed", "default", "hub"): outfeed()}, [outfeed(grpc={"port": 7})])
    assert "change with a restart" in problem


def test_a_new_outfeed_needs_a_process():
    (problem,) = unapplied({("Outfeed", "default", "hub"): outfeed()}, [outfeed(), outfeed("east")])
    assert problem.startswith("Outfeed east is not run by this process")


def test_a_store_is_not_its_namesake_of_another_kind():
    (problem,) = unapplied({("Outfeed", "default", "hub"): outfeed()}, [store("hub")])
    assert problem.startswith("Store hub is not run by this process")
