"""What a running announcer shows over HTTP."""

from urllib.parse import quote_from_bytes

import aiohttp
import pytest
from yarl import URL

from announcing import announce, octets
from eventually import eventually

KEY = "0123456789abcdef"


@pytest.fixture
async def server(make_announcer, tracker):
    server = make_announcer()
    server.forwarder("answers", tracker.url(f"/announce?passkey={KEY}"))
    server.forwarder("rejects", tracker.url(f"/404?passkey={KEY}"))
    server.forwarder("asks-again", tracker.url("/retry-in-number"))
    server.forwarder("rests", tracker.url("/429"))
    server.forwarder("off", tracker.url(f"/{KEY}/announce"), pause=True)
    await server.start()
    return server


async def shown(server, query=""):
    """Status, media type and text of the page."""
    url = f"http://127.0.0.1:{server.port}/stats{query}"
    async with aiohttp.ClientSession() as http, http.get(url) as response:
        return response.status, response.content_type, await response.text()


async def figures(server, ready):
    """The figures once they are ready."""

    async def look():
        url = URL(f"http://127.0.0.1:{server.port}/stats?format=json")
        async with aiohttp.ClientSession() as http, http.get(url) as response:
            told = await response.json()
        return told if ready(told) else None

    return await eventually(look)


async def test_figures_for_programs(server, tracker):
    await announce(server, peer="seeder", left=0)
    await announce(server, port=0)
    told = await figures(server, lambda told: told["pending_jobs"] == 1 and told["hash_peer_stats"])
    forwarders = {each["name"]: each for each in told["forwarders"]}
    assert {name: each["condition"] for name, each in forwarders.items()} == {
        "answers": "ENABLED", "rejects": "DISABLED", "asks-again": "ENABLED", "rests": "SUSPENDED", "off": "PAUSED",
    }  # fmt: skip
    assert told["disabled_forwarders"] == [{"name": "rejects", "cause": "REJECTED", "reason": "HTTP 404 Not Found"}]
    assert forwarders["answers"]["sample_count"] == 1
    assert forwarders["answers"]["tracker"] == f"http://127.0.0.1:{tracker.port}"
    (job,) = told["scheduled_announces"]
    assert (job["info_hash"], job["forwarder"]) == (octets("torrent").hex(), "asks-again")
    assert 0 < job["time_to_exec"] <= 300
    assert told["hash_peer_stats"][octets("torrent").hex()]["local_unique"] == 1
    assert told["fronts"]["http"] == {"announces": 1, "scrapes": 0, "failures": 1, "ignored": 0}


async def test_a_page_for_people(server):
    await announce(server)
    await figures(server, lambda told: told["disabled_forwarders"])
    status, kind, text = await shown(server)
    assert (status, kind) == (200, "text/html")
    assert '<meta http-equiv="refresh"' in text
    assert "HTTP 404 Not Found" in text
    assert KEY not in text
    assert KEY not in (await shown(server, "?format=json"))[2]


async def test_other_formats_and_pages_are_refused(server):
    assert (await shown(server, "?format=xml"))[:2] == (400, "text/plain")
    url = URL(f"http://127.0.0.1:{server.port}/{quote_from_bytes(b'stat')}", encoded=True)
    async with aiohttp.ClientSession() as http, http.get(url) as response:
        assert response.status == 404
