"""What kubectl says when it fails, as errors with the next step."""

import re

from forebay.cli.kubectl.errors import ClusterError, ForbiddenError, KubectlError, NotFoundError

FORBIDDEN = re.compile(r"\(Forbidden\)|is forbidden: ")
NOT_FOUND = re.compile(r"\(NotFound\)")
UNKNOWN_KIND = re.compile(r"doesn't have a resource type|no matches for kind")
UNREACHED = re.compile(
    r"connection to the server|Unable to connect|\(Unauthorized\)|must be logged in|getting credentials|"
    r"in configuration|context \S+ does not exist|i/o timeout|deadline exceeded|\(ServiceUnavailable\)|"
    r"stat \S+: no such file"
)
NOISE = re.compile(r"[EWI]\d{4} |Warning: ")
PREFIX = re.compile(r"^(error: |Error from server \(\w+\): )")
INSTALL = "Is Forebay installed there? helm install forebay charts/forebay"
RIGHTS = "Ask who runs the cluster for this right; `kubectl auth can-i --list` shows yours."
WHERE = "Is this the cluster you mean? See `kubectl config current-context`, --context and --kubeconfig."


def refusal(words: str) -> KubectlError:
    """What kubectl's standard error means."""
    line = telling(words)
    said = PREFIX.sub("", line)
    if UNKNOWN_KIND.search(line):
        return NotFoundError(said, INSTALL)
    if FORBIDDEN.search(line):
        return ForbiddenError(said, RIGHTS)
    if UNREACHED.search(line):
        return ClusterError(said, WHERE)
    return NotFoundError(said) if NOT_FOUND.search(line) else KubectlError(said)


def telling(words: str) -> str:
    """The last line that tells something; entries of a log and warnings only where there is nothing else."""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    plain = [line for line in lines if not NOISE.match(line)] or lines
    return plain[-1] if plain else "kubectl failed and did not say why"
