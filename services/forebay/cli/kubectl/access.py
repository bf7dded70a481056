"""Who may call what of an Outfeed, by the rules that its service decides by."""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from forebay.api.v1alpha1 import AccessRule, Outfeed
from forebay.cli.errors import InputError, UndoneError
from forebay.cli.kubectl.cluster import likely, the_outfeed
from forebay.cli.kubectl.credentials import clients_of, principal_of
from forebay.cli.kubectl.program import Kubectl
from forebay.cli.options import Output
from forebay.cli.printing import print_json, print_table
from forebay.pb.config.v1 import config_pb2
from forebay.pb.outfeed.v1 import outfeed_pb2
from forebay.runtime import PermissionDeniedError
from forebay.runtime.access import Authorizer, Caller

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
    """Those of the Outfeed's clients that the rule is about."""


def show_access(kubectl: Kubectl, name: str, output: Output) -> None:
    """Print the rules of an Outfeed. Raises `CliError`."""
    outfeed = the_outfeed(kubectl, name)
    found = grants(outfeed)
    if output is Output.JSON:
        print_json({"open": not found, "rules": [grant._asdict() for grant in found]})
        return
    if found:
        rows = [(each.principal, " ".join(each.clients) or "none", " ".join(each.methods)) for each in found]
        print_table("", ("principal", "clients", "methods"), rows)
    print(*([] if found else [OPEN]), APPLIES, sep="\n")


def grants(outfeed: Outfeed) -> list[Grant]:
    """The rules of an Outfeed, each with the clients that it is about."""
    return [Grant(rule.principal, rule.methods, covered(rule, outfeed)) for rule in outfeed.spec.access]


def covered(rule: AccessRule, outfeed: Outfeed) -> tuple[str, ...]:
    """The clients of an Outfeed that a rule is about."""
    namespace = outfeed.metadata.namespace
    names = {client: principal_of(client, namespace) for client in clients_of(outfeed)}
    return tuple(client for client, principal in names.items() if fnmatchcase(principal, rule.principal))


def check_access(kubectl: Kubectl, name: str, who: str, method: str, output: Output) -> None:
    """Print whether somebody may call a method. Raises `UndoneError` when not, and `CliError`."""
    outfeed = the_outfeed(kubectl, name)
    principal = principal_of(who, outfeed.metadata.namespace) if who in clients_of(outfeed) else who
    full = full_method(method)
    refusal = why_not(outfeed.spec.access, principal, full)
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


def full_method(text: str) -> str:
    """`package.Service/Method` of a method given by that, by `Service/Method`, or by its name.

    Raises `InputError` when an Outfeed has no such method.
    """
    known = {form: method for method in methods() for form in forms(method)}
    if text not in known:
        names = [method.rpartition("/")[2] for method in methods()]
        raise InputError(f"an Outfeed has no method {text}", likely(text, names))
    return known[text]


def methods() -> Iterator[str]:
    """All methods of an Outfeed's services, in full."""
    for file in (outfeed_pb2.DESCRIPTOR, config_pb2.DESCRIPTOR):
        for service in file.services_by_name.values():
            yield from (f"{service.full_name}/{method.name}" for method in service.methods)


def forms(method: str) -> tuple[str, str, str]:
    """A method in full, with its service's short name, and alone."""
    service, _, name = method.rpartition("/")
    return method, f"{service.rpartition('.')[2]}/{name}", name
