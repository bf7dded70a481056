"""The operator's certificates in real handshakes between the runtime's server and its clients."""

from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import grpc
import pytest

from forebay.runtime import CertificateFolder, ChannelSettings, ClientChannel, GrpcSettings, HostSettings
from forebay_operator.certificates import Authority, renewed
from forebay_operator.pods.identity import write
from forebay_operator.principals import OPERATOR, server_name, server_names
from integration.runtime.echo import EchoService, hosted

DAY = timedelta(days=1)
SERVER = server_names("hub-outfeed", "news")


@pytest.fixture
def now():
    return datetime.now(UTC)


@asynccontextmanager
async def calling(port, folder, name=SERVER[0]):
    """A call as the operator makes it: by address, checking the name of the Service."""
    channel = ClientChannel(f"ipv4:127.0.0.1:{port}", CertificateFolder(folder), ChannelSettings(server_name=name))
    try:
        yield channel.get().unary_unary("/test.v1.EchoService/Unary")
    finally:
        await channel.close()


@asynccontextmanager
async def served(folder):
    async with hosted(EchoService(), HostSettings(grpc=GrpcSettings(tls=folder))) as host:
        yield host.grpc_port


def issue(authority, folder, names, now):
    certificates = authority.issue(names, now)
    write(folder, certificates)
    return certificates


async def test_a_server_and_the_operator_believe_each_other(tmp_path, now):
    authority = Authority.make("news", now)
    issue(authority, tmp_path / "server", SERVER, now)
    issue(authority, tmp_path / "client", [OPERATOR], now)
    async with served(tmp_path / "server") as port, calling(port, tmp_path / "client") as call:
        assert await call(b"hello", timeout=10) == b"hello"


async def test_a_server_of_another_name_is_not_believed(tmp_path, now):
    authority = Authority.make("news", now)
    issue(authority, tmp_path / "server", SERVER, now)
    issue(authority, tmp_path / "client", [OPERATOR], now)
    other = server_name("other-outfeed", "news")
    async with served(tmp_path / "server") as port, calling(port, tmp_path / "client", other) as call:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(b"hello", timeout=10)
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_nobody_is_shut_out_while_the_authority_changes(tmp_path, now):
    begun = now - 2500 * DAY
    old = Authority.make("news", begun)
    introduced = old.advance(now - DAY)
    promoted = introduced.advance(now)
    assert promoted.signer == introduced.upcoming
    server = issue(introduced, tmp_path / "server", SERVER, now - DAY)
    client = issue(introduced, tmp_path / "client", [OPERATOR], now - DAY)
    async with served(tmp_path / "server") as port:
        # The client's certificate is of the new authority, the server's of the old one.
        issue(promoted, tmp_path / "client", [OPERATOR], now)
        async with calling(port, tmp_path / "client") as call:
            assert await call(b"new client", timeout=10) == b"new client"
        # And the other way round.
        issue(promoted, tmp_path / "server", SERVER, now)
        write(tmp_path / "client", client)
        async with calling(port, tmp_path / "client") as call:
            assert await call(b"new server", timeout=10) == b"new server"
    assert renewed(server, promoted, SERVER, now).chain == server.chain
