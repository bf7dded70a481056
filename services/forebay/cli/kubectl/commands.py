"""The commands of the plugin."""

from pathlib import Path
from typing import Annotated

import typer

from forebay.cli.kubectl.options import (
    AnnouncerArgument,
    ClientOption,
    ContextOption,
    EverywhereOption,
    KubeconfigOption,
    NamespaceOption,
    RouterArgument,
    ServiceArgument,
)
from forebay.cli.options import Output, OutputOption


def status(
    resource: Annotated[
        str, typer.Argument(metavar="[KIND/NAME]", help="One resource with what belongs to it; all if left out.")
    ] = "",
    everywhere: EverywhereOption = False,
    namespace: NamespaceOption = "",
    context: ContextOption = "",
    kubeconfig: KubeconfigOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """Show all resources of Forebay and their pods as a tree; before it what is wrong, and the next step for each.

    Kinds are Spill, Outfeed, Peerfeed, Store, StoreQueue, Announcer, Forwarder, Router, RouterLink, ConduitNode and
    Compaction, their plurals or short names, as in of/hub.
    """
    from forebay.cli.kubectl.program import Kubectl
    from forebay.cli.kubectl.treeview import show_status

    show_status(Kubectl(namespace, context, kubeconfig, everywhere), resource, output)


def forwarders(
    announcer: AnnouncerArgument,
    enable: Annotated[
        list[str] | None,
        typer.Option("--enable", metavar="NAME", help="First give announces to this one again. May be repeated."),
    ] = None,
    client: ClientOption = "kubectl",
    namespace: NamespaceOption = "",
    context: ContextOption = "",
    kubeconfig: KubeconfigOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the Forwarders of an Announcer as its service sees them now, the disabled ones with their reasons."""
    from forebay.api.v1alpha1 import Announcer
    from forebay.cli.announcerviews import show_forwarders
    from forebay.cli.kubectl.calls import call, line_to
    from forebay.cli.kubectl.program import Kubectl

    line = line_to(Kubectl(namespace, context, kubeconfig), announcer, client, Announcer)
    call(line, lambda address, tls: show_forwarders(enable or [], address, tls, output))


def queue(
    announcer: AnnouncerArgument,
    client: ClientOption = "kubectl",
    namespace: NamespaceOption = "",
    context: ContextOption = "",
    kubeconfig: KubeconfigOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the job queue of an Announcer, its workers, and the next ten scheduled jobs."""
    from forebay.api.v1alpha1 import Announcer
    from forebay.cli.announcerviews import show_queue
    from forebay.cli.kubectl.calls import call, line_to
    from forebay.cli.kubectl.program import Kubectl

    line = line_to(Kubectl(namespace, context, kubeconfig), announcer, client, Announcer)
    call(line, lambda address, tls: show_queue(address, tls, output))


def swarms(
    announcer: AnnouncerArgument,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="NUMBER", min=1, help="Most to show. Left out: all.")
    ] = None,
    client: ClientOption = "kubectl",
    namespace: NamespaceOption = "",
    context: ContextOption = "",
    kubeconfig: KubeconfigOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the swarms that an Announcer tracks, by info hash."""
    from forebay.api.v1alpha1 import Announcer
    from forebay.cli.announcerviews import show_swarms
    from forebay.cli.kubectl.calls import call, line_to
    from forebay.cli.kubectl.program import Kubectl

    line = line_to(Kubectl(namespace, context, kubeconfig), announcer, client, Announcer)
    call(line, lambda address, tls: show_swarms(limit, address, tls, output))


def threads(
    router: RouterArgument,
    prefix: Annotated[str, typer.Argument(metavar="[PREFIX]", help="What their names begin with; left out: all.")] = "",
    routers: Annotated[
        bool,
        typer.Option("--routers", help="Show the first pod too: its processes, its links, its ways to other domains."),
    ] = False,
    client: ClientOption = "kubectl",
    namespace: NamespaceOption = "",
    context: ContextOption = "",
    kubeconfig: KubeconfigOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the threads of a Router's domain, whichever of its pods they are attached to, with their groups."""
    from forebay.api.v1alpha1 import Router
    from forebay.cli.kubectl.calls import call, line_to
    from forebay.cli.kubectl.program import Kubectl
    from forebay.cli.routerviews import show_threads

    line = line_to(Kubectl(namespace, context, kubeconfig), router, client, Router)
    call(line, lambda address, tls: show_threads(prefix, address, tls, output, routers=routers))


def alarms(
    router: RouterArgument,
    clear: Annotated[
        list[str] | None,
        typer.Option("--clear", metavar="ALARM=ORIGIN", help="First turn this one off. May be repeated."),
    ] = None,
    client: ClientOption = "kubectl",
    namespace: NamespaceOption = "",
    context: ContextOption = "",
    kubeconfig: KubeconfigOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """Show the alarms that are on in a Router's domain, the oldest first."""
    from forebay.api.v1alpha1 import Router
    from forebay.cli.kubectl.calls import call, line_to
    from forebay.cli.kubectl.program import Kubectl
    from forebay.cli.routerviews import show_alarms

    line = line_to(Kubectl(namespace, context, kubeconfig), router, client, Router)
    call(line, lambda address, tls: show_alarms(clear or [], address, tls, output))


def clients(
    service: ServiceArgument,
    save: Annotated[
        tuple[str, Path] | None,
        typer.Option("--save", metavar="CLIENT FOLDER", help="Write tls.crt, tls.key and ca.crt of a client there."),
    ] = None,
    namespace: NamespaceOption = "",
    context: ContextOption = "",
    kubeconfig: KubeconfigOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """List the clients of a service: who their certificates say they are, and until when.

    Names come from its `spec.clients`; `kubectl` is always among them. What --save writes is for `--tls FOLDER` of the
    `forebay` command; only you can read it.
    """
    from forebay.cli.kubectl.clients import save_client, show_clients
    from forebay.cli.kubectl.program import Kubectl

    kubectl = Kubectl(namespace, context, kubeconfig)
    if save:
        save_client(kubectl, service, *save)
    else:
        show_clients(kubectl, service, output)


def access(
    service: ServiceArgument,
    check: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--check",
            metavar="PRINCIPAL METHOD",
            help="Tell whether a principal, or one of the service's clients, may call a method; exit status 1 if not.",
        ),
    ] = None,
    namespace: NamespaceOption = "",
    context: ContextOption = "",
    kubeconfig: KubeconfigOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """Tell who may call what of a service: the rules of its `spec.access`, each with its clients."""
    from forebay.cli.kubectl.access import check_access, show_access
    from forebay.cli.kubectl.program import Kubectl

    kubectl = Kubectl(namespace, context, kubeconfig)
    if check:
        check_access(kubectl, service, *check, output)
    else:
        show_access(kubectl, service, output)


def purges(
    everywhere: EverywhereOption = False,
    namespace: NamespaceOption = "",
    context: ContextOption = "",
    kubeconfig: KubeconfigOption = "",
    output: OutputOption = Output.TABLE,
) -> None:
    """List the services that have entries on Spills, and how far those of services that are gone have been deleted.

    For each service that is gone the operator runs a Job, which deletes what the service left on the Spill.
    """
    from forebay.cli.kubectl.program import Kubectl
    from forebay.cli.kubectl.purges import show_purges

    show_purges(Kubectl(namespace, context, kubeconfig, everywhere), output)
