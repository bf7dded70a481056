"""`kubectl forebay` against pods, through the real port-forward."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from e2e.cluster import until
from e2e.news import News
from examples import FOLDER

PLUGIN = Path(sys.executable).with_name("kubectl-forebay")


@pytest.fixture
def environment(news: News, tmp_path: Path) -> dict[str, str]:
    """Of a command whose own files are in `tmp_path`, and gone at its end."""
    own = {"KUBECONFIG": str(news.cluster.kubeconfig), "HOME": str(news.folder), "TMPDIR": str(tmp_path)}
    return {"PATH": os.environ["PATH"], **own}


@pytest.fixture
def plugin(news: News, environment: dict[str, str], tmp_path: Path):
    """Run a command to its end; what it prints for programs."""

    def run(*arguments: object):
        command = [PLUGIN, *map(str, arguments), "-n", news.namespace, "-o", "json"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        assert not [*tmp_path.iterdir()]
        return json.loads(done.stdout)

    return run


@contextmanager
def top(news: News, environment: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    command = [PLUGIN, "top", "hub", "-n", news.namespace, "-o", "json"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def test_status_shows_what_the_quick_start_is_made_of(plugin):
    found = plugin("status")
    assert found["problems"] == []
    titles = {f"{each['kind']}/{each['name']}": each for each in found["resources"]}
    assert {"Spill/main", "Outfeed/hub", "Outfeed/east", "Outfeed/west"} <= titles.keys()
    assert {child["name"] for child in titles["Outfeed/hub"]["children"]} == {"east", "west"}
    assert [pod["name"] for pod in titles["Outfeed/hub"]["pods"]] == ["hub-outfeed-0"]


def test_peers_are_told_by_the_service(plugin):
    assert {peer["name"] for peer in plugin("peers", "hub")} == {"east", "west"}


def test_explain_asks_the_service(plugin):
    article = next(FOLDER.glob("*.article"))
    assert {peer["peer"] for peer in plugin("explain", "hub", article)["peers"]} == {"east", "west"}


def test_its_own_client_is_issued_and_let_in(plugin, news: News):
    [own] = [client for client in plugin("clients", "hub") if client["client"] == "kubectl"]
    assert own["principals"] == [f"kubectl.{news.namespace}.client.forebay"]
    assert plugin("access", "hub", "--check", "kubectl", "ListPeers")["allowed"]


def test_top_goes_on_with_the_next_pod(news: News, environment: dict[str, str], tmp_path: Path):
    before = news.get("pod", "hub-outfeed-0")["metadata"]["uid"]
    with top(news, environment) as process:
        assert process.stdout
        assert json.loads(process.stdout.readline())["peers"]
        news.cluster("delete", "pod", "hub-outfeed-0", "-n", news.namespace)
        until(lambda: news.pod_ready("hub-outfeed-0", other_than=before))
        since = news.get("pod", "hub-outfeed-0")["metadata"]["creationTimestamp"]
        assert any(json.loads(line)["time"] > since for line in process.stdout)
    assert not [*tmp_path.iterdir()]
