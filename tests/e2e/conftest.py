"""The chart on a real cluster: any that KUBECONFIG names, if it is near.

    export KUBECONFIG=... FOREBAY_IMAGE=localhost/forebay:test
    pytest tests/e2e

The image has to be on the nodes, or where they can pull it. One release is installed for all tests; its definitions of
resources are cluster-wide, so what an earlier run left is removed first.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import missing
from e2e.cluster import Cluster, GuardError
from e2e.news import KINDS, News
from e2e.release import Release
from kubeaccess import KubectlError, program
from operatorsite import QUICKSTART

RELEASE, NEWS, SCRATCH = "forebay-e2e", "forebay-e2e-news", "forebay-e2e-scratch"
LONGEST = 1200
"""Seconds for a test, its waits in all."""
CLUSTER = pytest.StashKey[Cluster]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Pods take their time to start and to end."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(LONGEST))


@pytest.fixture(scope="session")
def cluster(pytestconfig: pytest.Config) -> Cluster:
    """kubectl on the cluster, once it is sure that nobody needs it."""
    kubeconfig = os.environ.get("KUBECONFIG", "")
    if not kubeconfig:
        missing("needs a cluster: set KUBECONFIG")
    for name in ("kubectl", "helm"):
        if not program(name):
            missing(f"needs {name}")
    cluster = Cluster(Path(kubeconfig))
    try:
        cluster.guard()
    except GuardError as error:
        pytest.exit(str(error), returncode=2)
    pytestconfig.stash[CLUSTER] = cluster
    return cluster


@pytest.fixture(scope="session")
def release(cluster: Cluster) -> Iterator[Release]:
    """The installed chart, which runs resources of two namespaces."""
    image = os.environ.get("FOREBAY_IMAGE", "localhost/forebay:test")
    release = Release(cluster, RELEASE, [NEWS, SCRATCH], image)
    release.remove()
    release.create_namespaces()
    release.install()
    yield release
    release.remove()


@pytest.fixture(scope="session")
def news(release: Release, cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> News:
    """The quick start, Ready."""
    news = News(cluster, NEWS, tmp_path_factory.mktemp("news"))
    news.apply_folder(QUICKSTART)
    news.until_ready()
    return news


@pytest.fixture
def scratch(release: Release, cluster: Cluster, tmp_path: Path) -> Iterator[News]:
    """A namespace whose resources are gone after the test."""
    yield News(cluster, SCRATCH, tmp_path)
    if cluster.exists("namespace", SCRATCH):
        cluster("delete", f"{KINDS},jobs,pvc", "--all", "-n", SCRATCH, "--wait=false")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A failure comes with what the cluster knows."""
    report = yield
    cluster = item.config.stash.get(CLUSTER, None)
    if report.failed and cluster:
        report.sections += [(namespace, told_by(cluster, namespace)) for namespace in (RELEASE, NEWS, SCRATCH)]
    return report


@pytest.fixture(autouse=True)
def without_faults(release: Release) -> Iterator[None]:
    """After any test: the operator had no unexpected error."""
    yield
    assert not release.faults()


def told_by(cluster: Cluster, namespace: str) -> str:
    """Events, descriptions and logs."""
    texts = []
    for command in (
        ("get", "events", "--sort-by=.lastTimestamp"),
        ("get", f"{KINDS},all,pvc", "-o", "wide"),
        ("describe", f"{KINDS},pods,jobs"),
        ("logs", "-l", "app.kubernetes.io/part-of=forebay", "--tail=100", "--prefix"),
    ):
        try:
            texts.append(f"== kubectl {' '.join(command)}\n{cluster(*command, '-n', namespace)}")
        except KubectlError as error:
            texts.append(str(error))
    return "\n".join(texts)
