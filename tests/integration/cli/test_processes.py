"""Commands without a site."""

import signal

import pytest

from .command import ARTICLES, forebay, quickstart, started


async def test_one_service_is_served_alone(tmp_path):
    port = quickstart(tmp_path)
    arguments = ("serve", "outfeed", "-f", tmp_path, "--name", "hub", "--data", tmp_path / "data")
    async with started(*arguments, "--http", "127.0.0.1:0") as running:
        assert (await running.logged("ready"))["grpc_port"] == port
        running.process.send_signal(signal.SIGHUP)
        await running.logged("configuration applied", times=2)
        assert await running.ended() == 0


@pytest.mark.parametrize("arguments", [["peers"], ["offer", min(ARTICLES.glob("*.article")), "--patience", "0"]])
async def test_a_service_that_is_away_makes_the_status_3(arguments, tmp_path):
    result = await forebay("outfeed", *arguments, FOREBAY_OUTFEED=f"unix:{tmp_path}/none")
    assert result.status == 3
    assert "Is the service running there?" in result.err
    assert "Traceback" not in result.err


async def test_the_shell_completes_commands():
    result = await forebay(_FOREBAY_COMPLETE="complete_bash", COMP_WORDS="forebay outfeed pa", COMP_CWORD="2")
    assert result.out.split() == ["pause"]
