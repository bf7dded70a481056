"""Options that several commands have."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Output(StrEnum):
    """Forms of what a command prints."""

    TABLE = "table"
    JSON = "json"


DEFAULT_ADDRESS = "127.0.0.1:7119"

OutputOption = Annotated[
    Output, typer.Option("--output", "-o", help="Print a `table` for people, or `json` for programs.")
]
_FILES = typer.Option(
    "--file", "-f", metavar="PATH", help="A file of manifests, or a folder of *.yaml files. May be repeated."
)
FilesOption = Annotated[list[Path], _FILES]
AnyFilesOption = Annotated[list[Path] | None, _FILES]
"""Where something else may be given instead."""
DataOption = Annotated[
    Path, typer.Option("--data", metavar="FOLDER", envvar="FOREBAY_DATA", help="Where everything durable is kept.")
]
RedisOption = Annotated[
    str,
    typer.Option(
        "--redis",
        metavar="URL",
        envvar="FOREBAY_REDIS",
        help="Use this Redis or Valkey (>= 7.2) for managed Spills; without it, an embedded Valkey is run.",
    ),
]
AddressOption = Annotated[
    str,
    typer.Option("--address", metavar="HOST:PORT", envvar="FOREBAY_OUTFEED", help="Where the outfeed serves gRPC."),
]
DEFAULT_STORE = "127.0.0.1:7672"
StoreAddressOption = Annotated[
    str, typer.Option("--address", metavar="HOST:PORT", envvar="FOREBAY_STORE", help="Where the store serves gRPC.")
]
DEFAULT_ANNOUNCER = "127.0.0.1:7969"
AnnouncerAddressOption = Annotated[
    str,
    typer.Option("--address", metavar="HOST:PORT", envvar="FOREBAY_ANNOUNCER", help="Where the announcer serves gRPC."),
]
DEFAULT_ROUTER = "127.0.0.1:7720"
RouterAddressOption = Annotated[
    str,
    typer.Option("--address", metavar="HOST:PORT", envvar="FOREBAY_ROUTER", help="Where the router serves gRPC."),
]
DEFAULT_CONDUIT = "127.0.0.1:7449"
ConduitAddressOption = Annotated[
    str,
    typer.Option("--address", metavar="HOST:PORT", envvar="FOREBAY_CONDUIT", help="Where the node serves gRPC."),
]
TlsOption = Annotated[
    Path | None,
    typer.Option("--tls", metavar="FOLDER", help="Use mutual TLS with the tls.crt, tls.key and ca.crt of a folder."),
]
OperatorOption = Annotated[
    str,
    typer.Option(
        "--operator",
        metavar="NAME",
        envvar="FOREBAY_OPERATOR",
        help="With --tls: whose certificate may `forebay apply`, as a name or a glob of names; left out: nobody's.",
    ),
]
TracesOption = Annotated[
    str,
    typer.Option(
        "--traces",
        metavar="URL",
        envvar="OTEL_EXPORTER_OTLP_ENDPOINT",
        help="Send OpenTelemetry traces of all calls there, by OTLP over gRPC.",
    ),
]
InsecureOption = Annotated[
    bool, typer.Option("--insecure", help="Allow gRPC without TLS on addresses that other machines can reach.")
]
PeerArgument = Annotated[str, typer.Argument(metavar="PEER", help="Name of the Peerfeed.")]
NamesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[PEER]...", help="Names of Peerfeeds; all if none.")
]
MessageIdsArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[MESSAGE-ID]...", help="With their angle brackets; all if none.")
]
ReasonOption = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Only those with this text in their reason, in any case.")
]
LimitOption = Annotated[int, typer.Option("--limit", min=1, help="Most to show, the oldest first.")]
