"""Waiting for what a service tells."""

from eventually import eventually


def numbered(count, first=0):
    return [index.to_bytes(4, "big") for index in range(first, first + count)]


async def collect(subscription, count):
    """The first samples of a subscription of a service, or of a node outside."""
    found = []
    async for delivery in subscription:
        found += getattr(delivery, "samples", None) or getattr(delivery, "payloads", [])
        if len(found) >= count:
            return found
    return found


async def declared(server, kind, uri, others=True):
    """Wait until a service knows of a declaration of its peers, or of its own."""

    async def known():
        async with server.client() as client:
            own = (await client.node()).peer_id
            found = [each async for each in client.declarations(uri, kind=kind)]
        return [each for each in found if (each.peer_id != own) == others]

    return await eventually(known)


async def peers(server, count):
    """Wait until a service has so many sessions."""

    async def connected():
        async with server.client() as client:
            found = (await client.node()).peers
        return found if len(found) == count else None

    return await eventually(connected)


def subscribed(node):
    """Whether a node outside knows of a subscriber of another."""
    return any(each.peer_id and each.kind.value == "subscriber" for each in node.participant.known())
