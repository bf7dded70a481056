"""Which configuration is in force and what came of it."""

from collections.abc import Sequence
from typing import NamedTuple

from forebay.runtime.errors import FieldViolation


class ResourceResult(NamedTuple):
    """What came of one resource of a configuration."""

    kind: str
    namespace: str
    name: str
    uid: str = ""
    generation: int = 0
    """The `metadata.generation` that this result is about."""
    violations: tuple[FieldViolation, ...] = ()
    """Why it is not in effect. Empty: it is."""
    warnings: tuple[str, ...] = ()
    """What was left aside, such as fields that this version does not know."""

    @property
    def identity(self) -> tuple[str, str, str]:
        """Kind, namespace and name."""
        return self.kind, self.namespace, self.name

    def but(self, *violations: FieldViolation) -> "ResourceResult":
        """The same with more that is wrong."""
        return self._replace(violations=(*self.violations, *violations))

    @property
    def applied(self) -> bool:
        """Whether this generation is in effect; if not, the last good one is kept."""
        return not self.violations


class Revisions:
    """The revision in force and its results."""

    def __init__(self) -> None:
        self.current = 0
        """0 before the first."""
        self.results: tuple[ResourceResult, ...] = ()

    def is_newer(self, revision: int) -> bool:
        """Whether a revision is to be applied; lower ones come from a sender that was overtaken."""
        return revision > self.current

    def applied(self, revision: int, results: Sequence[ResourceResult]) -> None:
        """A revision came into force."""
        self.current, self.results = revision, tuple(results)
