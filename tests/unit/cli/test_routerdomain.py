"""The pods of a Router: their names, and how a Router is hosted."""

import socket
from pathlib import Path

from forebay.api.manifests import read_object
from forebay.cli.hosting import Hosting
from forebay.cli.routerdomain import domain_of


def router(**spec):
    manifest = {"apiVersion": "forebay.dev/v1alpha1", "kind": "Router", "metadata": {"name": "main"}, "spec": spec}
    return read_object(manifest).resource


def test_a_pod_knows_the_others_by_their_ordinals(monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "main-router-1")
    around = domain_of("main-router.chat.svc", "::", None, Path("/tls"))
    assert (around.name, around.server_name) == ("main-router-1", "main-router.chat.svc")
    assert around.others(router(replicas=3)) == [
        "main-router-0.main-router-pods.chat.svc:7720",
        "main-router-2.main-router-pods.chat.svc:7720",
    ]


def test_without_tls_no_name_is_looked_for():
    assert domain_of("main-router.chat.svc", "::", None, None).server_name == ""


def test_a_router_serves_as_many_streams_as_it_may_have_processes():
    settings = Hosting(Path()).settings(router(maxProcesses=100_000))
    assert settings.grpc.concurrent_calls > 100_000
