"""What callers are told of the errors of a node."""

import pytest

from forebay.conduit.core import errors as core
from forebay.conduit.errors import NodeEndedError, told
from forebay.runtime import errors as runtime


@pytest.mark.parametrize(
    ("error", "kind", "reason"),
    [
        pytest.param(core.InvalidUriError("a", "no"), runtime.InvalidArgumentError, "INVALID_URI", id="uri"),
        pytest.param(
            core.SampleTooLargeError(9, 8, "mtu"), runtime.InvalidArgumentError, "SAMPLE_TOO_LARGE", id="sample"
        ),
        pytest.param(core.SettingError("no"), runtime.InvalidArgumentError, "INVALID_ARGUMENT", id="setting"),
        pytest.param(core.UnknownPeerError("no"), runtime.NotFoundError, "NOT_FOUND", id="peer"),
        pytest.param(core.UnknownDeclarationError("no"), runtime.NotFoundError, "NOT_FOUND", id="declaration"),
        pytest.param(core.UnknownPublisherError("no"), runtime.NotFoundError, "NOT_FOUND", id="publisher"),
        pytest.param(core.NotAgreedError("Query", "queries"), runtime.UnimplementedError, "NOT_AGREED", id="extras"),
        pytest.param(core.TooManyQueriesError(3), runtime.ResourceExhaustedError, "TOO_MANY_QUERIES", id="queries"),
        pytest.param(core.WindowFullError(0, 0, 1), runtime.ResourceExhaustedError, "WINDOW_FULL", id="window"),
        pytest.param(NodeEndedError("no"), runtime.UnavailableError, "UNAVAILABLE", id="end"),
    ],
)
def test_each_becomes_the_one_that_fits(error, kind, reason):
    with pytest.raises(kind) as raised, told("field"):
        raise error
    assert raised.value.reason == reason
    assert {violation.field for violation in raised.value.violations} <= {"field"}


def test_others_pass():
    with pytest.raises(KeyError), told("field"):
        raise KeyError
