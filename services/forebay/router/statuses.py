"""How threads, processes and links are, as the API tells it."""

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.attachment import Attachment
from forebay.router.links.neighbour import Neighbour, State
from forebay.router.node import RouterNode
from forebay.router.registry import Entry
from forebay.router.switch import Switch


def thread_status(switch: Switch, entry: Entry) -> pb.ThreadStatus:
    """How a thread is."""
    status = pb.ThreadStatus(
        name=f"{entry.name}@{switch.settings.domain}",
        process=entry.process,
        router=entry.router,
        groups=switch.groups.of(entry.name),
    )
    status.since.FromMilliseconds(entry.since_ms)
    return status


def process_status(attachment: Attachment) -> pb.ProcessStatus:
    """How a process is."""
    status = pb.ProcessStatus(
        process=attachment.process, threads=len(attachment.threads), waiting_octets=attachment.outlet.octets
    )
    status.since.FromMilliseconds(attachment.since_ms)
    return status


def links_of(node: RouterNode) -> list[pb.LinkStatus]:
    """All routers that there are links to, then those that cannot be linked, and those that are not to be."""
    names = {linking.neighbour: linking.settings.name for linking in node.linkings if not linking.settings.peer}
    found = [link_status(neighbour, names.get(neighbour, "")) for neighbour in node.neighbours]
    known = set(node.neighbours)
    for linking in node.linkings:
        settings = linking.settings
        if linking.failed and linking.neighbour not in known:
            router, name = (settings.addresses[0], "") if settings.peer else ("", settings.name)
            found.append(pb.LinkStatus(router=router, domain=settings.domain, problem=linking.problem, name=name))
    suspended = node.linkings.suspended
    return [*found, *(pb.LinkStatus(domain=each.domain, name=each.name, suspended=True) for each in suspended)]


def link_status(neighbour: Neighbour, name: str) -> pb.LinkStatus:
    """How a link is."""
    up = neighbour.state is State.UP
    return pb.LinkStatus(
        router=neighbour.router,
        domain=neighbour.domain,
        up=up,
        waiting_octets=neighbour.outlet.octets,
        problem="" if up else "the link was lost: see whether the router runs, and can be reached",
        name=name,
    )
