"""Whether a router that introduces itself may link."""

from collections.abc import Iterable

from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.core.address import check_domain, check_name
from forebay.router.core.errors import BadNameError
from forebay.router.links.settings import LinksSettings
from forebay.runtime.errors import AlreadyExistsError, FieldViolation, InvalidArgumentError, PermissionDeniedError

ITSELF = "ITSELF"
"""Reason of the refusal when a router has called its own address."""


def check_introduction(
    hello: pb.LinkHello, ours: pb.LinkHello, principals: Iterable[str] | None, settings: LinksSettings
) -> None:
    """See that the router of `hello` may link to ours. principals: names in its certificate; None: we have called.

    Raises `InvalidArgumentError`, `AlreadyExistsError` or `PermissionDeniedError`.
    """
    try:
        check_name("router", hello.router)
        check_domain(hello.domain)
    except BadNameError as error:
        violation = FieldViolation("hello", str(error))
        raise InvalidArgumentError(f"hello: {error}", violations=[violation]) from error
    who = f"{hello.router}@{hello.domain}"
    if (hello.domain, hello.router) == (ours.domain, ours.router):
        itself = hello.incarnation == ours.incarnation
        problem = "is this router itself" if itself else "is the name of two routers: rename one"
        raise AlreadyExistsError(f"{who} {problem}", reason=ITSELF if itself else "")
    if principals is not None and not settings.admits(tuple(principals), hello.domain):
        raise PermissionDeniedError(
            f"{', '.join(principals) or 'a router without a certificate'} may not link for domain {hello.domain}: "
            "add a rule to the access list of links"
        )
