"""The commands of the plugin that call an Outfeed, each as `forebay outfeed` has it."""

from typing import Annotated

import typer

from forebay.cli.kubectl.options import (
    ClientOption,
    ContextOption,
    FileArgument,
    KubeconfigOption,
    NamespaceOption,
    OutfeedArgument,
)
from forebay.cli.options import (
    LimitOption,
    MessageIdsArgument,
    NamesArgument,
    Output,
    OutputOption,
    PeerArgument,
    ReasonOption,
)


def peers(
    outfeed: OutfeedArgument,
    names: NamesArgument = None,
    client: ClientOption = "kubectl",
    namespace: NamespaceOption = "",
    context: ContextOption = "",
    kubeconfig: KubeconfigOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the peers of an Outfeed as its service sees them now."""
    from forebay.cli.kubectl.calls import call, line_to
    from forebay.cli.kubectl.program import Kubectl
    from forebay.cli.peerviews import show_peers

    line = line_to(Kubectl(namespace, context, kubeconfig), outfeed, client)
    call(line, lambda address, tls: show_peers(names or [], address, tls, output))


def top(
    outfeed: OutfeedArgument,
    names: NamesArgument = None,
    interval: Annotated[
        float, typer.Option("--interval", metavar="SECONDS", min=0.1, max=3600, help="Time between two looks.")
    ] = 1.0,
    once: Annotated[bool, typer.Option("--once", help="Print what two looks tell, and end.")] = False,
    client: ClientOption = "kubectl",
    namespace: NamespaceOption = "",
    context: ContextOption = "",
    kubeconfig: KubeconfigOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the peers of an Outfeed, again and again, until Ctrl-C. With --output json: an object a line.

    When the pod is replaced, the new one is called.
    """
    from forebay.cli.kubectl.calls import call, line_to
    from forebay.cli.kubectl.program import Kubectl
    from forebay.cli.topview import Watch, watch_peers

    line = line_to(Kubectl(namespace, context, kubeconfig), outfeed, client)
    call(line, lambda address, tls: watch_peers(Watch(names or [], interval, output, once), [address], tls))


def explain(
    outfeed: OutfeedArgument,
    file: FileArgument,
    client: ClientOption = "kubectl",
    namespace: NamespaceOption = "",
    context: ContextOption = "",
    kubeconfig: KubeconfigOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """Tell which peers of an Outfeed would get an article, and why the others would not. Nothing is stored or sent."""
    from forebay.cli.kubectl.calls import call, line_to
    from forebay.cli.kubectl.program import Kubectl
    from forebay.cli.peerviews import explain_article

    line = line_to(Kubectl(namespace, context, kubeconfig), outfeed, client)
    call(line, lambda address, tls: explain_article(file, address, tls, output))


def refusals(
    outfeed: OutfeedArgument,
    names: NamesArgument = None,
    client: ClientOption = "kubectl",
    namespace: NamespaceOption = "",
    context: ContextOption = "",
    kubeconfig: KubeconfigOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """Show what peers of an Outfeed say when they do not take articles, and how often, since its service started."""
    from forebay.cli.kubectl.calls import call, line_to
    from forebay.cli.kubectl.program import Kubectl
    from forebay.cli.peerviews import show_refusals

    line = line_to(Kubectl(namespace, context, kubeconfig), outfeed, client)
    call(line, lambda address, tls: show_refusals(names or [], address, tls, output))


def dead_letters(
    outfeed: OutfeedArgument,
    peer: PeerArgument,
    message_ids: MessageIdsArgument = None,
    reason: ReasonOption = "",
    limit: LimitOption = 100,
    client: ClientOption = "kubectl",
    namespace: NamespaceOption = "",
    context: ContextOption = "",
    kubeconfig: KubeconfigOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the articles that were given up for a peer of an Outfeed, and why."""
    from forebay.cli.kubectl.calls import call, line_to
    from forebay.cli.kubectl.program import Kubectl
    from forebay.cli.peerviews import Chosen, show_dead_letters

    line = line_to(Kubectl(namespace, context, kubeconfig), outfeed, client)
    chosen = Chosen(message_ids or [], reason)
    call(line, lambda address, tls: show_dead_letters(peer, chosen, limit, address, tls, output))


def replay(
    outfeed: OutfeedArgument,
    peer: PeerArgument,
    message_ids: MessageIdsArgument = None,
    reason: ReasonOption = "",
    client: ClientOption = "kubectl",
    namespace: NamespaceOption = "",
    context: ContextOption = "",
    kubeconfig: KubeconfigOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """Queue given-up articles for their peer of an Outfeed again."""
    from forebay.cli.kubectl.calls import call, line_to
    from forebay.cli.kubectl.program import Kubectl
    from forebay.cli.peerviews import Chosen, replay_dead_letters

    line = line_to(Kubectl(namespace, context, kubeconfig), outfeed, client)
    chosen = Chosen(message_ids or [], reason)
    call(line, lambda address, tls: replay_dead_letters(peer, chosen, address, tls, output))
