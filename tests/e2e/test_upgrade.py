"""Uninstalling, installing again, and upgrading keep what users have."""

import io
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
import yaml

from e2e.cluster import Cluster, until
from e2e.news import News
from e2e.release import Release
from helmchart import CHART, helm

CHECKOUT = CHART.parent.parent


@pytest.fixture(scope="session")
def older_chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package of the chart as it was committed first, with definitions that lack their short names."""
    folder = tmp_path_factory.mktemp("older")
    chart = folder / "charts" / "forebay"
    # Sources without a history have the present chart only.
    if commits := git("log", "--format=%H", "--", str(CHART / "Chart.yaml")).decode().split():
        with tarfile.open(fileobj=io.BytesIO(git("archive", commits[-1], "charts/forebay"))) as archive:
            archive.extractall(folder, filter="data")
    else:
        shutil.copytree(CHART, chart)
    for path in (chart / "files" / "crds").glob("*.yaml"):
        definition = yaml.safe_load(path.read_text())
        del definition["spec"]["names"]["shortNames"]
        path.write_text(yaml.safe_dump(definition))
    helm("package", chart, "--version", "0.0.1", "--destination", folder)
    return folder / "forebay-0.0.1.tgz"


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", "-C", CHECKOUT, *arguments], check=False, capture_output=True).stdout


def identities(news: News) -> dict[str, str]:
    """The uids of resources, pods and claims."""
    kinds = "spills,outfeeds,peerfeeds,statefulsets,pods,pvc"
    bodies = news.cluster.items(kinds, news.namespace)
    return {f"{body['kind']}/{body['metadata']['name']}": body["metadata"]["uid"] for body in bodies}


def short_names(cluster: Cluster) -> list[str]:
    names = cluster.json("get", "crd", "outfeeds.forebay.dev")["spec"]["names"]
    return list(names.get("shortNames", []))


def test_an_uninstalled_operator_leaves_everything_and_a_new_one_takes_it_over(news: News, release: Release):
    before = identities(news)
    release.uninstall()
    assert identities(news) == before
    news.edit("peerfeed", "west", window=321)
    release.install()
    news.until_ready()
    assert identities(news) == before


def test_without_the_operator_resources_can_be_deleted(scratch: News, release: Release):
    from operatorsite import hub, peerfeed

    scratch.apply(*hub(), peerfeed("one"))
    scratch.until_ready()
    release.uninstall()
    try:
        scratch.cluster("delete", "spills,outfeeds,peerfeeds", "--all", "-n", scratch.namespace, "--timeout=60s")
        until(lambda: not scratch.cluster.items("statefulsets", scratch.namespace), within=120)
    finally:
        release.install()


def test_an_upgrade_keeps_data_and_brings_the_new_definitions(
    news: News, release: Release, cluster: Cluster, older_chart: Path
):
    before = identities(news)
    release.install(older_chart)
    until(lambda: not short_names(cluster))
    news.until_ready()
    release.install()
    until(lambda: short_names(cluster) == ["of"])
    news.until_ready()
    after = identities(news)
    kept = {name: uid for name, uid in before.items() if not name.startswith("Pod/")}
    assert kept.items() <= after.items()
