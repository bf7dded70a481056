"""Programs that tests start, from a process in which gRPC is at work."""

from pathlib import Path

import grpc
import pytest

from processes import Running

CHILDREN = 60
"""Of so many, a few were aborted before they ran, each time that gRPC had its way with forks."""


async def test_a_program_is_started_from_amid_grpc(tmp_path: Path):
    async with grpc.aio.insecure_channel("ipv4:127.0.0.1:9") as channel:
        call = channel.unary_unary("/forebay/None", lambda octets: octets, lambda octets: octets)
        with pytest.raises(grpc.aio.AioRpcError):
            await call(b"", timeout=1)
        started = [Running(["true"], tmp_path / "log") for _ in range(CHILDREN)]
        assert [running.process.wait() for running in started] == [0] * CHILDREN
    assert (tmp_path / "log").read_text() == ""
