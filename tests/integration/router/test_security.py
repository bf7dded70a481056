"""Certificates: which names a process may use, and which domains' routers are let in."""

import ipaddress
from contextlib import AsyncExitStack

import pytest
from cryptography import x509

from authority import Authority
from eventually import eventually
from forebay.client.router import Process, ProcessSettings, RegistrationError
from forebay.router.links.settings import DomainRule, LinkSettings, LinksSettings
from forebay.router.settings import NameRule, RouterSettings
from forebay.runtime import BackoffSettings, UnavailableError
from routers import Router
from threads import Inbox

BACKOFF = BackoffSettings(0.05, 0.3)


@pytest.fixture
async def stack():
    async with AsyncExitStack() as stack:
        yield stack


@pytest.fixture
def certificate(tmp_path):
    """Issues certificates by one authority, for this machine under a name."""
    authority, local = Authority(), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    return lambda name: authority.write(tmp_path / name, name, x509.DNSName(name), local)


async def begun(stack, router):
    await router.start()
    stack.push_async_callback(router.stop)
    return router


async def test_a_process_uses_the_names_that_its_certificate_allows(stack, certificate):
    rules = [NameRule("team-a", ["a-*"]), NameRule("team-b", ["b-*"])]
    settings = RouterSettings(grace=0.0, names=rules)
    router = await begun(stack, Router(settings, tls=certificate("router")))
    processes = {
        name: await stack.enter_async_context(Process.connect(router.address, name, tls=certificate(name)))
        for name in ("team-a", "team-b")
    }
    inbox = Inbox()
    await processes["team-a"].thread("a-1", inbox)
    sender = await processes["team-b"].thread("b-1")
    with pytest.raises(RegistrationError, match="team-b may not use the name a-2"):
        await processes["team-b"].thread("a-2")
    sender.send("a-1", "m")
    await inbox.got(1)


async def test_without_a_certificate_of_our_authority_nobody_attaches(stack, certificate, tmp_path):
    router = await begun(stack, Router(RouterSettings(grace=0.0), tls=certificate("router")))
    stranger = Authority().write(tmp_path / "stranger", "stranger")
    for tls in (stranger, None):
        with pytest.raises(UnavailableError):
            async with Process.connect(router.address, "one", tls=tls, settings=ProcessSettings(patience=0.0)):
                pass


async def test_routers_link_with_certificates_and_only_for_the_domains_that_these_allow(stack, certificate):
    access = [DomainRule("west", ["router-west"])]
    east = await begun(
        stack,
        Router(
            RouterSettings(router="e", domain="east", grace=0.0), LinksSettings(access=access), tls=certificate("e")
        ),
    )
    west, north = [
        await begun(
            stack,
            Router(
                RouterSettings(router=domain, domain=domain, grace=0.0),
                LinksSettings(
                    links=[LinkSettings("east", [east.address])], tls=certificate(f"router-{domain}"), backoff=BACKOFF
                ),
            ),
        )
        for domain in ("west", "north")
    ]
    await eventually(lambda: "west" in east.switch.routes and "east" in west.switch.routes)
    [linking] = north.node.linkings
    await eventually(lambda: "router-north may not link for domain north: add a rule" in linking.problem)
    assert "north" not in east.switch.routes
