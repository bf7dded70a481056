"""What came of a resource, from how it was read."""

from collections.abc import Sequence

from forebay.api import Reading
from forebay.runtime.errors import FieldViolation
from forebay.runtime.revisions import ResourceResult


def result_of(reading: Reading, faults: Sequence[FieldViolation]) -> ResourceResult:
    """The result of one resource, with what is wrong with it."""
    return ResourceResult(
        kind=reading.kind,
        namespace=reading.namespace,
        name=reading.name,
        uid=reading.uid,
        generation=reading.generation,
        violations=tuple(faults),
        warnings=tuple(reading.warnings),
    )
