"""Deleting resources and namespaces."""

import time

from e2e.cluster import until
from e2e.conftest import SCRATCH
from e2e.news import News
from e2e.release import Release
from operatorsite import hub, peerfeed

GONE_SECONDS = 120
"""The goal is 60."""


def test_a_deleted_outfeed_is_purged_and_leaves_its_volume(scratch: News):
    scratch.apply(*hub(), peerfeed("one"))
    scratch.until_ready()
    uid = scratch.get("outfeed", "hub")["metadata"]["uid"]
    assert uid in services(scratch)
    scratch.cluster("delete", "outfeed", "hub", "-n", scratch.namespace, "--timeout=60s")
    until(lambda: uid not in services(scratch), within=240)
    (job,) = scratch.cluster.items("jobs", scratch.namespace)
    assert job["status"]["succeeded"] == 1
    assert scratch.cluster.exists("pvc", "data-hub-outfeed-0", "-n", scratch.namespace)


def services(news: News) -> set[str]:
    """The uids of the services that the Spill knows."""
    return {service["uid"] for service in news.get("spill", "main").get("status", {}).get("services", [])}


def test_a_namespace_goes_with_all_that_is_in_it(scratch: News, release: Release):
    scratch.apply(*hub(), peerfeed("one"))
    scratch.until_ready()
    started = time.monotonic()
    scratch.cluster("delete", "namespace", SCRATCH, f"--timeout={GONE_SECONDS}s")
    print(f"{time.monotonic() - started:.0f} s")  # noqa: T201
    release.create_namespaces()
    release.install()
