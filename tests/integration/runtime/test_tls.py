"""Mutual TLS and authorization, with certificates made for the test."""

import grpc
import pytest
from cryptography import x509
from grpc.aio import AioRpcError

from authority import Authority
from eventually import eventually
from forebay.api.v1alpha1 import AccessRule
from forebay.pb.config.v1.config_pb2 import ApplyRequest, GetStatusRequest
from forebay.pb.config.v1.config_pb2_grpc import ConfigServiceStub
from forebay.runtime import (
    CertificateFolder,
    ConfigDocument,
    GrpcSettings,
    HostSettings,
    InsecureBindError,
    PermissionDeniedError,
    UnauthenticatedError,
    from_rpc_error,
)
from forebay.runtime.document import encode

from .echo import connected, hosted

LOCALHOST = x509.DNSName("localhost")


@pytest.fixture
def authority():
    return Authority()


@pytest.fixture
def server_folder(authority, tmp_path):
    return authority.write(tmp_path / "server", "server", LOCALHOST)


@pytest.fixture
async def host(service, server_folder):
    settings = HostSettings(grpc=GrpcSettings(tls=server_folder), operator="operator.forebay")
    async with hosted(service, settings) as host:
        yield host


@pytest.fixture
def as_client(authority, host, tmp_path):
    """A client with a certificate that has these names."""

    def connect(*names, common_name="client"):
        folder = authority.write(tmp_path / "client", common_name, *names)
        return connected(host, CertificateFolder(folder))

    return connect


async def failure(call):
    with pytest.raises(AioRpcError) as caught:
        await call
    return from_rpc_error(caught.value)


async def test_a_certificate_of_our_authority_is_let_in(as_client):
    async with as_client(x509.DNSName("news.example")) as client:
        assert await client.call(b"hello") == b"hello"


async def test_another_authoritys_certificate_is_not(host, tmp_path):
    stranger = Authority("stranger")
    folder = stranger.write(tmp_path / "client", "client", x509.DNSName("news.example"))
    (folder / "ca.crt").unlink()
    (folder / "ca.crt").write_bytes((host.settings.grpc.tls / "ca.crt").read_bytes())
    async with connected(host, CertificateFolder(folder)) as client:
        assert (await failure(client.call(b"hello"))).code is grpc.StatusCode.UNAVAILABLE


async def test_a_client_without_a_certificate_is_not(host, authority):
    credentials = grpc.ssl_channel_credentials(authority.pem)
    async with grpc.aio.secure_channel(f"localhost:{host.grpc_port}", credentials) as channel:
        assert (await failure(channel.unary_unary("/test.v1.EchoService/Unary")(b""))).code.name == "UNAVAILABLE"


@pytest.mark.parametrize(
    "names",
    [
        pytest.param([x509.DNSName("inn.news.example")], id="dns"),
        pytest.param([x509.UniformResourceIdentifier("spiffe://news/inn")], id="uri"),
        pytest.param([x509.DNSName("other.example"), x509.DNSName("inn.news.example")], id="second-name"),
    ],
)
async def test_a_rule_lets_its_principal_in(as_client, service, names):
    service.rules = (
        AccessRule(principal="*.news.example", methods=("Unary",)),
        AccessRule(principal="spiffe://news/*", methods=("EchoService/Unary",)),
    )
    async with as_client(*names) as client:
        assert await client.call(b"hello") == b"hello"


async def test_the_common_name_counts_when_there_is_no_other(as_client, service):
    service.rules = (AccessRule(principal="inn.news.example"),)
    async with as_client(common_name="inn.news.example") as client:
        assert await client.call(b"hello") == b"hello"
    async with as_client(x509.DNSName("other.example"), common_name="inn.news.example") as client:
        assert isinstance(await failure(client.call(b"hello")), PermissionDeniedError)


async def test_another_principal_is_denied_and_told_what_to_do(as_client, service):
    service.rules = (AccessRule(principal="*.news.example"),)
    async with as_client(x509.DNSName("stranger.example")) as client:
        error = await failure(client.call(b"hello"))
    assert isinstance(error, PermissionDeniedError)
    assert error.reason == "ACCESS_DENIED"
    assert "stranger.example may not call test.v1.EchoService/Unary: add a rule" in error.message


async def test_another_method_is_denied(as_client, service):
    service.rules = (AccessRule(principal="*.news.example", methods=("Stream",)),)
    async with as_client(x509.DNSName("inn.news.example")) as client:
        assert isinstance(await failure(client.call(b"hello")), PermissionDeniedError)
        assert await client.stream()(b"hello").read() == b"hello"


async def test_a_certificate_that_names_nobody_is_denied(as_client):
    async with as_client(x509.RFC822Name("a@example"), common_name="") as client:
        assert isinstance(await failure(client.call(b"hello")), UnauthenticatedError)


async def test_only_the_operator_applies_configuration(as_client):
    request = ApplyRequest(revision=1, document=encode(ConfigDocument(1)))
    async with as_client(x509.DNSName("news.example")) as client:
        stub = ConfigServiceStub(client.channel.get())
        assert isinstance(await failure(stub.Apply(request)), PermissionDeniedError)
        assert (await stub.GetStatus(GetStatusRequest())).ready
    async with as_client(x509.DNSName("operator.forebay")) as client:
        assert (await ConfigServiceStub(client.channel.get()).Apply(request)).revision == 1


async def test_new_server_certificates_are_used_without_a_restart(as_client, authority, server_folder, host):
    async with as_client(x509.DNSName("news.example")) as client:
        assert await client.call(b"before") == b"before"
        authority.write(server_folder, "server", x509.DNSName("renewed.example"))
        assert await client.call(b"open connections stay") == b"open connections stay"
    async with as_client(x509.DNSName("news.example")) as client:
        assert (await failure(client.call(b"the old name is gone"))).code is grpc.StatusCode.UNAVAILABLE
    assert not host.state.degradations()


async def test_a_new_authority_counts_at_once(host, service, server_folder, tmp_path, authority):
    newcomer = Authority("newcomer")
    folder = newcomer.write(tmp_path / "client", "client", x509.DNSName("news.example"))
    newcomer.write(server_folder, "server", LOCALHOST)
    async with connected(host, CertificateFolder(folder)) as client:
        assert await client.call(b"hello") == b"hello"


async def test_the_last_good_certificates_serve_on_and_the_service_is_degraded(as_client, server_folder, host):
    (server_folder / "tls.key").unlink()
    async with as_client(x509.DNSName("news.example")) as client:
        assert await client.call(b"hello") == b"hello"
    [degradation] = host.state.degradations()
    assert degradation.reason == "CertificatesUnreadable"
    assert host.state.ready


async def test_a_client_follows_its_own_certificates(authority, host, service, tmp_path):
    service.rules = (AccessRule(principal="new.example"),)
    folder = authority.write(tmp_path / "client", "client", x509.DNSName("old.example"))
    async with connected(host, CertificateFolder(folder)) as client:
        assert isinstance(await failure(client.call(b"hello")), PermissionDeniedError)
        authority.write(folder, "client", x509.DNSName("new.example"))
        assert await client.call(b"hello") == b"hello"


async def test_calls_in_progress_outlive_a_clients_renewal(authority, host, tmp_path):
    folder = authority.write(tmp_path / "client", "client", x509.DNSName("a.example"))
    async with connected(host, CertificateFolder(folder)) as client:
        chat = client.chat()()
        await chat.write(b"one")
        assert await chat.read() == b"one"
        authority.write(folder, "client", x509.DNSName("b.example"))
        assert await client.call(b"new channel") == b"new channel"
        await chat.write(b"two")
        assert await chat.read() == b"two"
        await chat.done_writing()
        await eventually(lambda: not client.channel._retiring)


async def test_plain_text_beyond_loopback_is_refused(service):
    with pytest.raises(InsecureBindError, match="open to other machines"):
        async with hosted(service, HostSettings(grpc=GrpcSettings(listen="0.0.0.0:0"))):
            pass


async def test_plain_text_beyond_loopback_can_be_allowed(service):
    settings = HostSettings(grpc=GrpcSettings(listen="0.0.0.0:0", insecure=True))
    async with hosted(service, settings) as host, connected(host) as client:
        assert await client.call(b"hello") == b"hello"
