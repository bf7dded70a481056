"""Conduit beside zenoh, in turns, each in two processes over UDP on loopback: samples a second that are received.

    cd tests && ../.venv/bin/python -m bench.conduit_bench [--rounds N]

Samples have 64 octets; ours are reliable and packed, zenoh's over UDP are as it sends them. Both counts are shown: what
was written, and what came. SCALE=10 for ten times as many samples.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import threading
import time

from bench.common import ratio_line
from forebay.client.conduit import ConduitNodeSettings, Node
from forebay.conduit.core.conduits.settings import ConduitSettings
from ports import free_port

SCALE = int(os.environ.get("SCALE", "1"))
SAMPLES = 400_000 * SCALE
SAMPLE = bytes(64)
BATCH = 400
URI = "/bench/rate"
QUIET = 2.0
"""Seconds without a sample after which zenoh's reader has had all that will come."""
WINDOW = ConduitSettings(window_octets=1 << 20, window_samples=8000, mtu=8192)


def settings(**options):
    return ConduitNodeSettings(conduits=(WINDOW,), unicast=WINDOW, scout_interval=0.1, **options)


async def our_reader(port):
    async with Node(settings(listen=f"udp/127.0.0.1:{port}")) as node:
        received, began = 0, 0.0
        async for delivery in node.subscribe(URI):
            began = began or time.monotonic()
            received += len(delivery.payloads)
            if received >= SAMPLES:
                break
        report(received, time.monotonic() - began)


async def our_writer(port):
    async with Node(settings(listen="udp/127.0.0.1:0", peers=(f"udp/127.0.0.1:{port}",))) as node:
        directory = node.participant.node.declarations.directory
        await node.until(lambda: bool(directory.reach_uri(URI).peers))
        publisher = node.publisher(URI)
        for _ in range(SAMPLES // BATCH):
            await publisher.write([SAMPLE] * BATCH)
        await node.drained()


def zenoh_session(**places):
    import zenoh

    config = zenoh.Config()
    config.insert_json5("scouting/multicast/enabled", "false")
    for name, place in places.items():
        config.insert_json5(f"{name}/endpoints", json.dumps([place]))
    return zenoh.open(config)


def zenoh_reader(port):
    times, done = [0.0, 0.0], threading.Event()
    received = 0

    def take(_sample):
        nonlocal received
        received += 1
        times[1] = time.monotonic()
        times[0] = times[0] or times[1]
        if received >= SAMPLES:
            done.set()

    with zenoh_session(listen=f"udp/127.0.0.1:{port}") as session:
        subscriber = session.declare_subscriber(URI[1:], take)
        while not done.wait(QUIET) and (not received or time.monotonic() - times[1] < QUIET):
            pass
        subscriber.undeclare()
    report(received, times[1] - times[0])


def zenoh_writer(port):
    import zenoh

    with zenoh_session(listen="udp/127.0.0.1:0", connect=f"udp/127.0.0.1:{port}") as session:
        publisher = session.declare_publisher(URI[1:], congestion_control=zenoh.CongestionControl.BLOCK)
        while not publisher.matching_status.matching:
            time.sleep(0.01)
        for _ in range(SAMPLES):
            publisher.put(SAMPLE)


def report(received, seconds):
    print(json.dumps([received, received / seconds]), flush=True)


ROLES = {
    "ours-reader": lambda port: asyncio.run(our_reader(port)),
    "ours-writer": lambda port: asyncio.run(our_writer(port)),
    "zenoh-reader": zenoh_reader,
    "zenoh-writer": zenoh_writer,
}


def measure(side):
    """How many samples came, and how many a second."""
    port = str(free_port())
    start = [sys.executable, "-m", "bench.conduit_bench", "--port", port, "--role"]
    reader = subprocess.Popen([*start, f"{side}-reader"], stdout=subprocess.PIPE)
    with reader, subprocess.Popen([*start, f"{side}-writer"]):
        out, _ = reader.communicate(timeout=300)
    return json.loads(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--role", choices=ROLES)
    parser.add_argument("--port", type=int)
    options = parser.parse_args()
    if options.role:
        ROLES[options.role](options.port)
        return
    rates = {"ours": [], "zenoh": []}
    for _ in range(options.rounds):
        for side, found in rates.items():
            received, rate = measure(side)
            found.append(rate)
            print(f"{side}: {received} of {SAMPLES} samples received, {rate:,.0f}/s")
    ours, rival = (statistics.median(found) for found in rates.values())
    print(ratio_line("conduit", ours, rival))


if __name__ == "__main__":
    main()
