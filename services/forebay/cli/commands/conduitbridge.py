"""`forebay conduit bridge`: samples between nodes of conduit and programs with zenoh."""

from pathlib import Path
from typing import Annotated

import typer

PeersOption = Annotated[
    list[str] | None,
    typer.Option("--peer", metavar="udp/HOST:PORT", help="A node of conduit that is looked for. May be repeated."),
]
GroupOption = Annotated[
    str,
    typer.Option("--group", metavar="udp/GROUP:PORT", help="Multicast group of nodes, as udp/239.255.0.1:7447."),
]
InterfaceOption = Annotated[
    str,
    typer.Option("--interface", metavar="ADDRESS", help="IPv4 address of the interface that the group is on."),
]
ListenOption = Annotated[
    str, typer.Option("--listen", metavar="udp/HOST:PORT", help="Where datagrams of nodes come in; port 0: any.")
]
KeysOption = Annotated[
    list[str] | None,
    typer.Option(
        "--key",
        metavar="ID=FILE",
        help="A key that datagrams are sealed with, in a file of its own; the first one seals. May be repeated.",
    ),
]
ConnectOption = Annotated[
    list[str] | None,
    typer.Option("--connect", metavar="ENDPOINT", help="A router or peer of zenoh, as tcp/HOST:7447. May be repeated."),
]
ZenohListenOption = Annotated[
    list[str] | None,
    typer.Option("--zenoh-listen", metavar="ENDPOINT", help="Where zenoh comes in. May be repeated."),
]
ModeOption = Annotated[
    str,
    typer.Option("--mode", metavar="MODE", help="peer or client, for zenoh. Left out: as its file says, or peer."),
]
ZenohConfigOption = Annotated[
    Path | None,
    typer.Option("--zenoh-config", metavar="FILE", exists=True, help="A configuration of zenoh, in JSON5."),
]
ToZenohOption = Annotated[
    list[str] | None,
    typer.Option(
        "--to-zenoh", metavar="PATTERN", help="URIs whose samples go to zenoh; left out: all. May be repeated."
    ),
]
FromZenohOption = Annotated[
    list[str] | None,
    typer.Option(
        "--from-zenoh",
        metavar="PATTERN",
        help="URIs whose samples come from zenoh; left out: all. May be repeated.",
    ),
]
PrefixOption = Annotated[
    str, typer.Option("--prefix", metavar="KEY", help="What stands before the URIs in keys of zenoh, as site/one.")
]
NetworkOption = Annotated[
    str,
    typer.Option(
        "--network",
        metavar="NAME",
        help="Name of the network of nodes: no bridge brings back what another one of its network has brought.",
    ),
]


def bridge(
    peer: PeersOption = None,
    group: GroupOption = "",
    interface: InterfaceOption = "0.0.0.0",  # noqa: S104 the system's own choice
    listen: ListenOption = "udp/0.0.0.0:0",
    key: KeysOption = None,
    connect: ConnectOption = None,
    zenoh_listen: ZenohListenOption = None,
    mode: ModeOption = "",
    zenoh_config: ZenohConfigOption = None,
    to_zenoh: ToZenohOption = None,
    from_zenoh: FromZenohOption = None,
    prefix: PrefixOption = "",
    network: NetworkOption = "conduit",
) -> None:
    """Bring samples over between nodes of conduit and programs with zenoh 1.x, until Ctrl-C.

    The URI /plant/oven is the key plant/oven. It needs `forebay[zenoh]`. While zenoh is away, samples for it are left
    out and counted: nodes are not held up.
    """
    import uvloop

    from forebay.cli.conduitbridging import Ways, run_bridge
    from forebay.runtime import configure_logs

    configure_logs("info")
    everything = ["/**"]
    ways = Ways(
        network=network,
        outward=to_zenoh or everything,
        inward=from_zenoh or everything,
        prefix=prefix,
        listen=listen,
        group=group,
        interface=interface,
        peers=peer or [],
        file=zenoh_config,
        mode=mode,
        connect=connect or [],
        zenoh_listen=zenoh_listen or [],
        keys=key or [],
    )
    uvloop.run(run_bridge(ways))
