"""Who may call what: principals of certificates and globs of methods."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from forebay.api.v1alpha1 import AccessRule
from forebay.runtime.errors import PermissionDeniedError, UnauthenticatedError

HEALTH = "grpc.health.v1.Health"
CONFIG = "forebay.config.v1.ConfigService"
APPLY = f"{CONFIG}/Apply"


@dataclass(frozen=True)
class Caller:
    """Who is at the other end of a call."""

    names: tuple[str, ...]
    """The DNS names and URIs of the certificate's subject alternative names; if it has neither, its common name."""
    secure: bool
    """Whether the connection is TLS, and the names are proven thereby."""
    loopback: bool
    """Whether the call comes from this machine."""


def allows(rule: AccessRule, caller: Caller, method: str) -> bool:
    """Whether a rule lets the caller call the method, which is `package.Service/Method`."""
    return covers(rule, method) and any(fnmatchcase(name, rule.principal) for name in caller.names or ("",))


def covers(rule: AccessRule, method: str) -> bool:
    """Whether one of the rule's globs stands for the method in its full form or one of its short ones."""
    service, _, name = method.rpartition("/")
    forms = (method, f"{service.rpartition('.')[2]}/{name}", name)
    return any(fnmatchcase(form, pattern) for pattern in rule.methods for form in forms)


class Authorizer:
    """Decides about each call.

    Health checks are open to whoever can connect. Over plain text there are no principals: a caller on this machine may
    do everything, as the machine's own user could, and one from elsewhere what a rule allows to `*`. Over TLS the rules
    decide, and no rules at all mean that every certificate of our authority is good. Configuration is applied by
    `operator` only, or over plain text from this machine.
    """

    def __init__(
        self, rules: Callable[[], Sequence[AccessRule]], operator: str = "", watched: Collection[str] = ()
    ) -> None:
        """`rules` is asked at every call, so that a new configuration counts at once; `operator` is a glob of names.

        watched: methods that the operator may call whatever the rules say, beside those of the configuration.
        """
        self._rules = rules
        self._operator = operator
        self._watched = watched

    def check(self, caller: Caller, method: str) -> None:
        """Raise `UnauthenticatedError` or `PermissionDeniedError` unless the caller may call the method."""
        service = method.rpartition("/")[0]
        if service == HEALTH or (caller.loopback and not caller.secure):
            return
        if caller.secure and not caller.names:
            raise UnauthenticatedError(
                "the certificate names nobody: it needs a DNS name, a URI or a common name", reason="NO_PRINCIPAL"
            )
        if not self.allowed(caller, method, service):
            remedy = "only the operator may" if method == APPLY else "add a rule to the access list of the service"
            raise PermissionDeniedError(
                f"{', '.join(caller.names) or 'a caller without a certificate'} may not call {method}: {remedy}",
                reason="ACCESS_DENIED",
                facts={"method": method},
            )

    def allowed(self, caller: Caller, method: str, service: str) -> bool:
        """Whether a rule, or the lack of any, lets the call pass."""
        if (service == CONFIG or method in self._watched) and self.is_operator(caller):
            return True
        if method == APPLY:
            return False
        rules = self._rules()
        return not rules or any(allows(rule, caller, method) for rule in rules)

    def is_operator(self, caller: Caller) -> bool:
        """Whether the caller has proven to be the operator."""
        return bool(self._operator) and any(fnmatchcase(name, self._operator) for name in caller.names)
