"""Options and arguments that several commands have."""

from typing import Annotated

import typer

NamespaceOption = Annotated[
    str, typer.Option("--namespace", "-n", metavar="NAME", help="Namespace; left out: that of the context.")
]
ContextOption = Annotated[
    str, typer.Option("--context", metavar="NAME", help="Context of the kubeconfig; left out: the current one.")
]
KubeconfigOption = Annotated[
    str, typer.Option("--kubeconfig", metavar="FILE", help="Kubeconfig; left out: the one that kubectl uses.")
]
EverywhereOption = Annotated[bool, typer.Option("--all-namespaces", "-A", help="Look at all namespaces.")]
OutfeedArgument = Annotated[str, typer.Argument(metavar="OUTFEED", help="Name of the Outfeed.")]
AnnouncerArgument = Annotated[str, typer.Argument(metavar="ANNOUNCER", help="Name of the Announcer.")]
RouterArgument = Annotated[str, typer.Argument(metavar="ROUTER", help="Name of the Router.")]
ServiceArgument = Annotated[
    str, typer.Argument(metavar="[KIND/]NAME", help="Name of an Outfeed, or kind and name, as store/main.")
]
ClientOption = Annotated[
    str, typer.Option("--client", metavar="NAME", help="Call with the certificate of this client of the service.")
]
FileArgument = Annotated[
    str,
    typer.Argument(
        metavar="FILE|<MESSAGE-ID>",
        help="An article, or its headers; - is standard input. Or the message-id, in its angle brackets, of an article "
        "that the Outfeed keeps.",
    ),
]
