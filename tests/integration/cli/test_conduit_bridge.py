"""`forebay conduit bridge` as a process."""

import asyncio
import json

import zenoh

from eventually import eventually
from forebay.client.conduit import ConduitNodeSettings, Node
from integration.cli.command import forebay, started
from ports import free_port
from zenohprogram import ALONE, program


async def test_samples_go_over_until_a_signal_ends_it(tmp_path):
    place, file = f"tcp/127.0.0.1:{free_port()}", tmp_path / "zenoh.json5"
    file.write_text(json.dumps({"scouting": ALONE, "transport": {"shared_memory": {"enabled": False}}}))
    async with program(place) as other, Node(ConduitNodeSettings("udp/127.0.0.1:0")) as device:
        options = {
            "--peer": "udp/{}:{}".format(*device.address),
            "--listen": "udp/127.0.0.1:0",
            "--zenoh-config": file,
            "--mode": "client",
            "--connect": place,
            "--prefix": "site",
            "--to-zenoh": "/plant/**",
        }
        arguments = [text for option in options.items() for text in option]
        async with started("conduit", "bridge", *arguments) as bridge:
            await bridge.logged("there is a session of zenoh")
            directory = device.participant.node.declarations.directory
            await device.until(lambda: directory.reach_uri("/plant/oven").peers)
            await device.publisher("/plant/oven").write([b"warm"])
            async with asyncio.timeout(20):
                assert await other.received.get() == ("site/plant/oven", b"warm")
            publisher = other.session.declare_publisher("site/lab/lamp", allowed_destination=zenoh.Locality.REMOTE)
            received = device.subscribe("/lab/lamp")
            # Both sides have to know of each other's subscribers first.
            first = asyncio.ensure_future(anext(received))
            await eventually(lambda: publisher.put(b"on") or first.done())
            assert (first.result().uri, first.result().payloads[0]) == ("/lab/lamp", b"on")
            assert await bridge.ended() == 0
        [end] = bridge.events("the bridge has ended")
    assert (end["outward"], end["unnamed"], end["away"]) == (1, 0, 0)
    assert end["inward"] >= 1


async def test_wrong_options_are_told_with_what_to_do():
    result = await forebay("conduit", "bridge", "--peer", "press:7448")
    assert (result.status, result.err.strip()) == (
        2,
        "Error: peers is 'press:7448': take udp/host:port or tcp/host:port",
    )
    result = await forebay("conduit", "bridge", "--to-zenoh", "plant")
    assert result.status == 1
    assert "outward has 'plant': it does not start with / or **" in result.err
