"""Several routers: of one domain, and of domains with links between them."""

from contextlib import AsyncExitStack, asynccontextmanager
from random import Random

from eventually import eventually
from forebay.router.links.settings import LinkSettings, LinksSettings
from forebay.router.links.window import RetrySettings
from forebay.router.settings import RouterSettings
from forebay.runtime import BackoffSettings
from ports import free_port
from routers import Router

RETRY = RetrySettings(attempts=3, interval=0.5)
BACKOFF = BackoffSettings(0.05, 0.3)


def lose(endpoint, part):
    """Have an endpoint lose a part of the datagrams that it sends."""
    random, send = Random(1), endpoint.send
    endpoint.send = lambda address, datagrams: send(address, [each for each in datagrams if random.random() >= part])


class Site:
    """Routers by name."""

    def __init__(self):
        self.routers: dict[str, Router] = {}

    def __getitem__(self, name):
        return self.routers[name]

    def address(self, name):
        return self.routers[name].address

    async def knows(self, router, *threads):
        """Wait until a router knows threads of its domain."""
        await eventually(lambda: set(threads) <= set(self[router].switch.registry.entries))

    async def reaches(self, router, *domains):
        """Wait until a router knows ways to domains."""
        await eventually(lambda: set(domains) <= set(self[router].switch.routes))


@asynccontextmanager
async def site(domains, links=(), udp_loss=None, **settings):
    """Routers `domain-0`, `domain-1`... of each domain, `{"east": 3, "west": 1}`; all of a domain are linked. Other
    links are pairs of routers, the first of which calls, or triples with a cost. With `udp_loss` they go over UDP,
    where such a part of all datagrams is lost.
    """
    made = Site()
    names = {f"{domain}-{number}": domain for domain, count in domains.items() for number in range(count)}
    ports = {name: free_port() for name in names}
    udp = udp_loss is not None
    for name, domain in names.items():
        peers = [f"127.0.0.1:{ports[other]}" for other, its in names.items() if its == domain and other != name]
        calls = [
            LinkSettings(f"{caller}-{called}", [f"127.0.0.1:{ports[called]}"], udp, *cost)
            for caller, called, *cost in links
            if caller == name
        ]
        options = {"grace": 0.0} | settings
        made.routers[name] = Router(
            RouterSettings(router=name, domain=domain, **options),
            LinksSettings(
                peers=peers,
                links=calls,
                retry=RETRY,
                backoff=BACKOFF,
                udp_listen=f"127.0.0.1:{ports[name]}" if udp else "",
                key=b"secret",
            ),
            ports[name],
        )
    async with AsyncExitStack() as stack:
        for router in made.routers.values():
            await router.start()
            stack.push_async_callback(router.stop)
            if udp:
                lose(router.node.udp, udp_loss)
        for name, domain in names.items():
            others = sum(each == domain for each in names.values()) - 1
            await eventually(lambda name=name, others=others: len(made[name].switch.peers) == others)
        yield made
