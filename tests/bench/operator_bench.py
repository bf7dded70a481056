"""The operator with many Peerfeeds applied at once: `python tests/bench/operator_bench.py` (root; SCALE=10 for 500).

A real API server with its controllers; pods are run by the tests' stand-in for a node. Requests are counted in the API
server's audit log.
"""

import asyncio
import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import podnetwork
from apiserver import ApiServer, lacking
from bench.common import MIB, scratch_folder
from eventually import eventually
from kubeclient import KubeClient
from operatorsite import Site, hub, is_ready, peerfeed, start_node

PEERS = 50 * int(os.environ.get("SCALE", "1"))
GOAL_SECONDS, GOAL_REQUESTS, GOAL_MIB = 60, 6, 200
WRITERS = 32


async def main() -> None:
    if reason := lacking() or podnetwork.lacking():
        sys.exit(reason)
    with scratch_folder() as folder:
        server = ApiServer(folder)
        try:
            server.start()
            node = start_node(server, folder)
            try:
                async with KubeClient(server.admin) as client:
                    await measure(Site(server, folder, client))
            finally:
                node.stop()
        finally:
            server.stop()


async def measure(site: Site) -> None:
    """Print a line for each figure."""
    site.install()
    site.operator.start()
    try:
        await site.apply(*hub())
        await site.until_ready()
        before = requests(site)
        seconds = await timed(site)
        print(f"  operator_requests {json.dumps(requests_by_verb(site))}")
        line("operator_ready_seconds", seconds, GOAL_SECONDS)
        line("operator_requests_a_resource", (requests(site) - before) / PEERS, GOAL_REQUESTS)
        line("operator_rss_mib", site.operator.resident() / MIB, GOAL_MIB)
    finally:
        site.operator.kill()


def line(name: str, figure: float, goal: float) -> None:
    print(f"{name} ours={figure:.1f} goal={goal}", flush=True)


async def timed(site: Site) -> float:
    """Seconds from the first apply until all are Ready."""
    started = time.perf_counter()
    slots = asyncio.Semaphore(WRITERS)

    async def apply(number: int) -> None:
        async with slots:
            await site.apply(peerfeed(f"peer-{number}"))

    await asyncio.gather(*map(apply, range(PEERS)))
    print(f"  applied after {time.perf_counter() - started:.1f} s", flush=True)
    await eventually(lambda: all_ready(site), within=600, every=0.2)
    return time.perf_counter() - started


async def all_ready(site: Site) -> bool:
    return all(map(is_ready, await site.client.list("Peerfeed", site.namespace)))


def requests(site: Site) -> int:
    """Requests of the operator's account so far."""
    return sum(requests_by_verb(site).values())


def requests_by_verb(site: Site) -> dict[str, int]:
    """The same by verb and resource."""
    user = f"system:serviceaccount:{site.system}:forebay"
    found: dict[str, int] = {}
    with site.server.audit_log.open() as log:
        for text in log:
            event = json.loads(text)
            if event["user"]["username"] == user:
                key = f"{event['verb']} {event.get('objectRef', {}).get('resource', '-')}"
                found[key] = found.get(key, 0) + 1
    return found


if __name__ == "__main__":
    asyncio.run(main())
