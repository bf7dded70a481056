"""Who may call what of a service, by the rules that its service decides by."""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from forebay.api.v1alpha1 import AccessRule, Service
from forebay.cli.errors import InputError, UndoneError
from forebay.cli.kubectl.cluster import likely, the_service
from forebay.cli.kubectl.credentials import clients_of, principal_of
from forebay.cli.kubectl.program import Kubectl
from forebay.cli.options import Output
from forebay.cli.printing import print_json, print_table
from forebay.pb.announcer.v1 import announcer_pb2
from forebay.pb.conduit.v1 import conduit_pb2
from forebay.pb.config.v1 import config_pb2
from forebay.pb.outfeed.v1 import outfeed_pb2
from forebay.pb.router.v1 import router_pb2
from forebay.pb.store.v1 import store_pb2
from forebay.runtime import PermissionDeniedError
from forebay.runtime.access import Authorizer, Caller

FILES = {
    "Outfeed": outfeed_pb2.DESCRIPTOR,
    "Store": store_pb2.DESCRIPTOR,
    "Announcer": announcer_pb2.DESCRIPTOR,
    "Router": router_pb2.DESCRIPTOR,
    "ConduitNode": conduit_pb2.DESCRIPTOR,
}
"""Files that describe the methods of each kind of service."""
OPERATOR = "operator.forebay"
"""The name in the operator's certificate."""
OPEN = "spec.access is empty: whoever has a certificate of the authority may call everything, but Apply."
APPLIES = f"Configuration is applied by {OPERATOR} alone; health checks are open to everybody."


class Grant(NamedTuple):
    """What one rule allows."""

    principal: str
    """A name or a glob of names."""
    methods: tuple[str, ...]
    """Methods or globs of methods."""
    clients: tuple[str, ...]
    """Those of the service's clients that the rule is about."""


def show_access(kubectl: Kubectl, title: str, output: Output) -> None:
    """Print the rules of a service. Raises `CliError`."""
    found = grants(the_service(kubectl, title))
    if output is Output.JSON:
        print_json({"open": not found, "rules": [grant._asdict() for grant in found]})
        return
    if found:
        rows = [(each.principal, " ".join(each.clients) or "none", " ".join(each.methods)) for each in found]
        print_table("", ("principal", "clients", "methods"), rows)
    print(*([] if found else [OPEN]), APPLIES, sep="\n")


def grants(service: Service) -> list[Grant]:
    """The rules of a service, each with the clients that it is about."""
    return [Grant(rule.principal, rule.methods, covered(rule, service)) for rule in service.spec.access]


def covered(rule: AccessRule, service: Service) -> tuple[str, ...]:
    """The clients of a service that a rule is about."""
    namespace = service.metadata.namespace
    names = {client: principal_of(client, namespace) for client in clients_of(service)}
    return tuple(client for client, principal in names.items() if fnmatchcase(principal, rule.principal))


def check_access(kubectl: Kubectl, title: str, who: str, method: str, output: Output) -> None:
    """Print whether somebody may call a method. Raises `UndoneError` when not, and `CliError`."""
    service = the_service(kubectl, title)
    principal = principal_of(who, service.metadata.namespace) if who in clients_of(service) else who
    full = full_method(service.kind, method)
    refusal = why_not(service.spec.access, principal, full)
    if output is Output.JSON:
        print_json({"principal": principal, "method": full, "allowed": not refusal, "reason": refusal})
    elif not refusal:
        print(f"yes: {principal} may call {full}")
    if refusal:
        raise UndoneError(refusal)


def why_not(rules: Sequence[AccessRule], principal: str, method: str) -> str:
    """Why a principal may not call `package.Service/Method`; empty when it may."""
    try:
        Authorizer(lambda: rules, OPERATOR).check(Caller((principal,), secure=True, loopback=False), method)
    except PermissionDeniedError as error:
        return error.message
    return ""


def full_method(kind: str, text: str) -> str:
    """`package.Service/Method` of a method given by that, by `Service/Method`, or by its name.

    Raises `InputError` when services of that kind have no such method.
    """
    known = {form: method for method in methods(kind) for form in forms(method)}
    if text not in known:
        names = [method.rpartition("/")[2] for method in methods(kind)]
        raise InputError(f"{kind} has no method {text}", likely(text, names))
    return known[text]


def methods(kind: str) -> Iterator[str]:
    """All methods of services of a kind, in full."""
    for file in (FILES[kind], config_pb2.DESCRIPTOR):
        for service in file.services_by_name.values():
            yield from (f"{service.full_name}/{method.name}" for method in service.methods)


def forms(method: str) -> tuple[str, str, str]:
    """A method in full, with its service's short name, and alone."""
    service, _, name = method.rpartition("/")
    return method, f"{service.rpartition('.')[2]}/{name}", name
