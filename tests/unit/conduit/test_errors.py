from forebay.conduit.core.errors import ConduitError
from forebay.conduit.errors import FieldError
from forebay.runtime.errors import FieldViolation


def test_a_field_error_carries_its_violation():
    error = FieldError("spec.lease", "take 1 s or more")
    assert isinstance(error, ConduitError)
    assert (str(error), error.violation) == (
        "spec.lease: take 1 s or more",
        FieldViolation("spec.lease", "take 1 s or more"),
    )
