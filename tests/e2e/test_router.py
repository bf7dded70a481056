"""Routers on a real cluster: a domain of three pods, another one in another namespace, and processes in pods."""

import base64
import json
import os
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.x509 import DNSName

from authority import Authority
from e2e.cluster import Body, Cluster, until
from e2e.conftest import NEWS, SCRATCH
from e2e.news import News, condition
from e2e.release import Release
from e2e.routercast import TLS, asked, logged, member_pod, numbers, pod_of, running, service_of
from e2e.test_kubectl import PLUGIN
from kubeaccess import KubectlError
from operatorsite import chat, routerlink, secret

CHAT, FAR = "chat", "far"
"""Routers of the domains near, of three pods, and distant, in the other namespace."""
ECHO, ASKER, FRAIL, DISTANT = "echo", "asker", "frail", "distant-echo"
PODS = [f"{CHAT}-router-{number}" for number in range(3)]
NAMES = {CHAT: SCRATCH, FAR: NEWS}
RESOURCES = "routers,routerlinks"
CRASH_SECONDS = 4.0
"""From the end of a process to the news of it, at most."""
SEAL = "an octet string of more than sixteen"


def certificate(authority: Authority, router: str) -> Body:
    """A Secret for a Router as cert-manager makes one: both Routers believe its authority."""
    namespace = NAMES[router]
    main = f"{router}-router"
    names = f"{main}.{namespace}.svc", f"*.{main}-pods.{namespace}.svc", "localhost"
    chain, key = authority.issue(main, *map(DNSName, names))
    files = {"tls.crt": chain, "tls.key": key, "ca.crt": authority.pem}
    data = {name: base64.b64encode(content).decode() for name, content in files.items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": f"{router}-own"}, "type": "Opaque", "data": data}


@pytest.fixture(scope="module")
def far(release: Release, cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> News:
    """The namespace of the other domain."""
    return News(cluster, NEWS, tmp_path_factory.mktemp("far"))


@pytest.fixture(scope="module")
def near(release: Release, cluster: Cluster, far: News, tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """Both domains with their links and processes, Ready."""
    near, authority = News(cluster, SCRATCH, tmp_path_factory.mktemp("near")), Authority("links of both")
    key = {"secretRef": {"name": "links", "key": "key"}}
    common = {"clients": ["bot"], "listeners": {"udp": {"keyFrom": key}}}
    for news, router, domain, replicas in ((near, CHAT, "near", 3), (far, FAR, "distant", 1)):
        news.apply(certificate(authority, router), secret("links", key=SEAL))
        news.apply(
            chat(router, domain=domain, replicas=replicas, tls={"secretRef": {"name": f"{router}-own"}}, **common)
        )
    near.apply(routerlink(FAR, "distant", service_of(FAR, NEWS), router=CHAT))
    near.until_ready()
    until(lambda: condition(near.get("routerlink", FAR), "LinkDown").get("reason") == "Up")
    bot = f"{CHAT}-router-client-bot"
    near.apply(
        member_pod(release, ECHO, bot, "echo", routers(2, 1, 0), TLS, "echo"),
        member_pod(release, FRAIL, bot, "echo", routers(1), TLS, "frail"),
        member_pod(release, ASKER, bot),
    )
    far.apply(member_pod(release, DISTANT, f"{FAR}-router-client-bot", "echo", service_of(FAR, NEWS), TLS, "distant"))
    until(lambda: all(is_attached(near, name) for name in (ECHO, FRAIL)) and is_attached(far, DISTANT))
    until(lambda: near.pod_ready(ASKER))
    yield near
    for news, pods in ((near, (ECHO, FRAIL, ASKER)), (far, (DISTANT,))):
        cluster("delete", "pods", *pods, "-n", news.namespace, "--ignore-not-found", "--timeout=120s")
    cluster("delete", RESOURCES, "--all", "-n", SCRATCH, "--timeout=120s")
    cluster("delete", "router", FAR, "-n", NEWS, "--ignore-not-found", "--timeout=120s")
    for news, router in ((near, CHAT), (far, FAR)):
        cluster("delete", "secrets", "links", f"{router}-own", "-n", news.namespace, "--ignore-not-found")


def routers(*numbers: int) -> str:
    """Pods of the near domain, in the order in which a process tries them."""
    return ",".join(pod_of(CHAT, SCRATCH, number) for number in numbers)


def is_attached(news: News, pod: str) -> bool:
    return any(line["what"] == "ready" for line in logged(news, pod))


def plugin(news: News, *arguments: str) -> Any:
    """What `kubectl forebay` prints for programs."""
    environment = {"PATH": os.environ["PATH"], "KUBECONFIG": str(news.cluster.kubeconfig), "HOME": str(news.folder)}
    command = [PLUGIN, *arguments, "-n", news.namespace, "-o", "json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_resource_tells_its_generation_and_why_it_is_ready(near: News):
    for kind, name in (("router", CHAT), ("routerlink", FAR)):
        body = near.get(kind, name)
        assert body["status"]["observedGeneration"] == body["metadata"]["generation"]
        assert condition(body, "Ready")["reason"] == "Applied"
    assert condition(near.get("router", CHAT), "Degraded")["status"] == "False"


def test_kubectl_prints_threads_and_links(near: News):
    head, *rows = near.cluster("get", "rt", "-n", near.namespace).splitlines()
    assert head.split() == ["NAME", "READY", "REASON", "THREADS", "LINKS", "AGE"]
    assert rows[0].split()[:3] == [CHAT, "True", "Applied"]
    head, *rows = near.cluster("get", "rl", "-n", near.namespace).splitlines()
    assert head.split() == ["NAME", "READY", "REASON", "STATE", "WAITING", "AGE"]
    assert rows[0].split()[:4] == [FAR, "True", "Applied", "Up"]


def test_each_router_has_a_pod_without_rights_or_volumes_and_one_budget_is_for_all(near: News):
    body = near.get("statefulset", f"{CHAT}-router")
    assert body["status"]["readyReplicas"] == 3
    assert "volumeClaimTemplates" not in body["spec"]
    assert body["spec"]["template"]["spec"]["automountServiceAccountToken"] is False
    assert near.get("poddisruptionbudget", f"{CHAT}-router")["spec"]["maxUnavailable"] == 1


@pytest.mark.parametrize("number", range(3))
def test_a_message_reaches_a_thread_from_whichever_router(near: News, number: int):
    assert asked(near, ASKER, routers(number), "echo", "hello") == {"what": "reply", "text": "hello"}


def test_a_message_goes_to_the_other_domain_and_its_reply_comes_back(near: News):
    reply = asked(near, ASKER, service_of(CHAT, SCRATCH), "distant@distant", "far away")
    assert reply == {"what": "reply", "text": "far away"}


def test_processes_of_the_other_domain_reach_this_one_by_the_same_link(near: News, far: News):
    reply = asked(far, DISTANT, service_of(FAR, NEWS), "echo@near", "from afar")
    assert reply == {"what": "reply", "text": "from afar"}


async def test_threads_are_seen_from_any_pod_with_their_routers(near: News):
    for pod in PODS:
        async with near.router(CHAT, pod) as client:
            found = {thread.name: thread.router async for thread in client.threads()}
        assert found == {"echo@near": PODS[2], "frail@near": PODS[1]}


def test_the_plugin_calls_routers(near: News):
    shown = plugin(near, "threads", CHAT, "--routers")
    assert {thread["name"] for thread in shown["threads"]} == {"echo@near", "frail@near"}
    assert [route["domain"] for route in shown["router"]["routes"]] == ["distant"]


@pytest.mark.parametrize("grace", [0, 45], ids=["killed", "deleted"])
def test_each_message_is_handled_once_or_its_sender_is_told_while_a_router_goes(near: News, grace: int):
    before = near.pods()[PODS[2]]
    begun = len(logged(near, ECHO))
    with running(near, ASKER, "load", routers(0, 1), TLS, "echo") as load:
        load.until("sent", 500)
        force = ["--force"] if grace == 0 else []
        near.cluster("delete", "pod", PODS[2], "-n", near.namespace, f"--grace-period={grace}", *force, "--wait=false")
        load.until("sent", len(load.told("sent")) + 1000)
        load.go_on()
        load.until("flushed")
        sent, dropped = numbers(load.lines, "sent"), [line["sequence"] for line in load.told("dropped")]
    handled = numbers(logged(near, ECHO)[begun:], "handled")
    assert len(handled) == len(set(handled)), "handled twice"
    # The numbers of a sender to one recipient are their sequences.
    assert set(sent) == set(handled) | set(dropped)
    assert handled == sorted(handled)
    until(lambda: near.pod_ready(PODS[2], other_than=before))
    near.until_ready()


def test_a_link_is_suspended_and_resumed_without_a_restart(near: News, far: News):
    pods = near.pods()
    near.edit("routerlink", FAR, suspended=True)
    until(lambda: condition(near.get("routerlink", FAR), "Suspended").get("status") == "True", within=60)
    found = asked(near, ASKER, service_of(CHAT, SCRATCH), "distant@distant", "no way")
    assert "skal-drop-no-network" in found["problem"]
    near.edit("routerlink", FAR, suspended=False)
    until(lambda: condition(near.get("routerlink", FAR), "LinkDown").get("reason") == "Up", within=90)
    assert asked(near, ASKER, service_of(CHAT, SCRATCH), "distant@distant", "again")["text"] == "again"
    assert near.pods() == pods


def test_a_link_that_reaches_nobody_tells_why_and_is_up_again_by_itself(near: News, far: News):
    near.edit("routerlink", FAR, addresses=[f"{FAR}-router.{NEWS}.svc:9"])

    def down() -> bool:
        body = near.get("routerlink", FAR)
        found = condition(body, "LinkDown")
        assert (found.get("status"), found.get("reason")) == ("True", "NotReached"), found
        return True

    until(down, within=120)
    until(lambda: condition(near.get("router", CHAT), "Degraded").get("reason") == "LinkDown", within=60)
    near.edit("routerlink", FAR, addresses=[service_of(FAR, NEWS)])
    until(lambda: condition(near.get("routerlink", FAR), "LinkDown").get("reason") == "Up", within=120)
    until(lambda: condition(near.get("router", CHAT), "Degraded").get("status") == "False", within=60)


def test_a_link_over_udp_goes_by_a_service_of_its_own(near: News):
    place = {"transport": "udp", "addresses": [f"{FAR}-links.{NEWS}.svc:7720"]}
    near.edit("routerlink", FAR, **place)
    until(lambda: condition(near.get("routerlink", FAR), "LinkDown").get("reason") == "Up", within=120)
    assert asked(near, ASKER, service_of(CHAT, SCRATCH), "distant@distant", "datagrams")["text"] == "datagrams"
    near.edit("routerlink", FAR, transport="grpc", addresses=[service_of(FAR, NEWS)])
    until(lambda: condition(near.get("routerlink", FAR), "LinkDown").get("reason") == "Up", within=120)


async def test_a_process_that_is_killed_is_told_to_all_and_raises_an_alarm(near: News):
    with running(near, ASKER, "load", routers(0), TLS, "echo") as watcher:
        watcher.until("ready")
        near.cluster("delete", "pod", FRAIL, "-n", near.namespace, "--grace-period=0", "--force", "--wait=false")
        began = time.monotonic()
        [crash] = watcher.until("crashed", within=60)
        # kubectl and the kubelet take their time until the process is really gone.
        assert time.monotonic() - began < CRASH_SECONDS + 10
        watcher.go_on()
        watcher.until("flushed")
    assert crash["threads"] == ["frail@near"]
    for pod in PODS:
        async with near.router(CHAT, pod) as client:
            alarms = [each for each in await client.alarms() if each.name == "skal-process-crashed"]
        assert any("frail" in each.origin for each in alarms), alarms
    # Figures alone are written once a minute.
    until(lambda: near.get("router", CHAT)["status"]["alarms"] > 0, within=120)
    assert "skal-process-crashed" in {alarm["name"] for alarm in plugin(near, "alarms", CHAT)}


@pytest.mark.parametrize(
    ("kind", "name", "spec", "field"),
    [
        ("router", CHAT, {"domain": "Capitals"}, "domain"),
        ("router", CHAT, {"queues": {"low": "16MiB"}}, "low"),
        ("routerlink", FAR, {"routerRef": {"name": "other"}}, "routerRef"),
        ("routerlink", FAR, {"cost": 0}, "cost"),
    ],
)
def test_a_wrong_edit_is_refused_by_the_name_of_its_field(near: News, kind: str, name: str, spec: Body, field: str):
    with pytest.raises(KubectlError, match=field):
        near.edit(kind, name, **spec)
    near.until_ready()


def test_fewer_pods_and_more_are_told_to_those_that_run(near: News):
    before = {name: uid for name, uid in near.pods().items() if name in PODS[:2]}
    near.edit("router", CHAT, replicas=2)
    until(lambda: PODS[2] not in near.pods())
    near.until_ready()
    assert asked(near, ASKER, routers(0), "echo", "two of us")["text"] == "two of us"
    near.edit("router", CHAT, replicas=3)
    until(lambda: near.pod_ready(PODS[2]))
    near.until_ready()
    assert asked(near, ASKER, routers(2), "echo", "three of us")["text"] == "three of us"
    assert {name: uid for name, uid in near.pods().items() if name in PODS[:2]} == before
