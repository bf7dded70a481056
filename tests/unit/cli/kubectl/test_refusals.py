import pytest

from forebay.cli.kubectl.errors import ClusterError, ForbiddenError, KubectlError, NotFoundError
from forebay.cli.kubectl.refusals import refusal

UNHANDLED = 'E1128 01:34:27.698718   10957 memcache.go:265] "Unhandled Error" err="connection refused"\n'


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        pytest.param(
            'error: the server doesn\'t have a resource type "spills"',
            NotFoundError,
            'the server doesn\'t have a resource type "spills"',
            id="not installed",
        ),
        pytest.param(
            'Error from server (Forbidden): pods is forbidden: User "nobody" cannot list resource "pods"',
            ForbiddenError,
            'pods is forbidden: User "nobody" cannot list resource "pods"',
            id="forbidden",
        ),
        pytest.param(
            'error: error upgrading connection: pods "x" is forbidden: User "nobody" cannot create pods/portforward',
            ForbiddenError,
            'error upgrading connection: pods "x" is forbidden: User "nobody" cannot create pods/portforward',
            id="forbidden to forward",
        ),
        pytest.param(
            'Error from server (NotFound): pods "x" not found',
            NotFoundError,
            'pods "x" not found',
            id="gone",
        ),
        pytest.param(
            f"{UNHANDLED}The connection to the server 127.0.0.1:1 was refused - did you specify the right host?",
            ClusterError,
            "The connection to the server 127.0.0.1:1 was refused - did you specify the right host?",
            id="refused",
        ),
        pytest.param(
            "Error in configuration: context was not found for specified context: nope",
            ClusterError,
            "Error in configuration: context was not found for specified context: nope",
            id="context",
        ),
        pytest.param(
            "error: stat /nope: no such file or directory",
            ClusterError,
            "stat /nope: no such file or directory",
            id="kubeconfig",
        ),
        pytest.param(
            "error: You must be logged in to the server (Unauthorized)",
            ClusterError,
            "You must be logged in to the server (Unauthorized)",
            id="unknown user",
        ),
        pytest.param("error: lost connection to pod", KubectlError, "lost connection to pod", id="other"),
        pytest.param(UNHANDLED, KubectlError, UNHANDLED.strip(), id="marked lines alone"),
        pytest.param("", KubectlError, "kubectl failed and did not say why", id="silent"),
    ],
)
def test_what_kubectl_says_becomes_an_error(words, kind, message):
    error = refusal(words)
    assert (type(error), error.message) == (kind, message)


def test_a_kind_that_is_not_there_is_remedied_by_an_installation():
    assert "helm install" in refusal('error: the server doesn\'t have a resource type "spills"').remedy
