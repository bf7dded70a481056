"""Commands without a site."""

import ipaddress
import signal

import pytest
from cryptography import x509

from authority import Authority

from .command import ARTICLES, forebay, quickstart, started


async def test_one_service_is_served_alone(tmp_path):
    port = quickstart(tmp_path)
    arguments = ("serve", "outfeed", "-f", tmp_path, "--name", "hub", "--data", tmp_path / "data")
    async with started(*arguments, "--http", "127.0.0.1:0") as running:
        assert (await running.logged("ready"))["grpc_port"] == port
        running.process.send_signal(signal.SIGHUP)
        await running.logged("configuration applied", times=2)
        assert await running.ended() == 0


async def test_over_tls_the_operator_alone_applies_and_others_use_the_service(tmp_path):
    authority, local = Authority(), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    server, operator, user = [
        authority.write(tmp_path / name, name, local, x509.DNSName(f"{name}.test"))
        for name in ("hub", "operator", "ann")
    ]
    port = quickstart(tmp_path / "files")
    hub = tmp_path / "files" / "outfeeds.yaml"
    hub.write_text(hub.read_text().replace(f"{{port: {port}}}", f"{{port: {port}, address: 127.0.0.1}}"))
    files = ("-f", tmp_path / "files", "--data", tmp_path / "data")
    there = ("--address", f"127.0.0.1:{port}", "--tls")
    async with started(
        "serve", "outfeed", *files, "--name", "hub", "--tls", server, "--operator", "operator.test"
    ) as hub:
        await hub.logged("ready")
        assert (await forebay("outfeed", "peers", *there, user)).status == 0
        refused = await forebay("apply", *files, *there, user)
        assert refused.status == 1
        assert "ann.test may not call forebay.config.v1.ConfigService/Apply: only the operator may" in refused.err
        applied = await forebay("apply", *files, *there, operator)
        assert applied.status == 0, applied.err


@pytest.mark.parametrize("arguments", [["peers"], ["offer", min(ARTICLES.glob("*.article")), "--patience", "0"]])
async def test_a_service_that_is_away_makes_the_status_3(arguments, tmp_path):
    result = await forebay("outfeed", *arguments, FOREBAY_OUTFEED=f"unix:{tmp_path}/none")
    assert result.status == 3
    assert "Is the service running there?" in result.err
    assert "Traceback" not in result.err


async def test_the_shell_completes_commands():
    result = await forebay(_FOREBAY_COMPLETE="complete_bash", COMP_WORDS="forebay outfeed pa", COMP_CWORD="2")
    assert result.out.split() == ["pause"]
