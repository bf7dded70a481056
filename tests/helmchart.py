"""The chart, as it lies in the checkout and as Helm renders it."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from kubeaccess import program

CHART = Path(__file__).parent.parent / "charts" / "forebay"
KUBERNETES = "1.30.0"
"""The oldest version that the chart is for."""
MONITORING = "monitoring.coreos.com/v1/ServiceMonitor"
"""What Helm is told when the cluster is to know Prometheus's kinds."""
Values = Mapping[str, Any]
Body = dict[str, Any]


class HelmError(AssertionError):
    """Helm failed; the message is what it printed."""


def helm(*arguments: object, stdin: str = "", environment: Mapping[str, str] | None = None) -> str:
    """What Helm prints. Raises `HelmError`."""
    executable = program("helm")
    assert executable, "needs helm"
    command = [executable, *map(str, arguments)]
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, timeout=120, check=False, env=environment
    )
    if done.returncode:
        raise HelmError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def render(
    values: Values | None = None, *, name: str = "it", namespace: str = "system", apis: Sequence[str] = ()
) -> list[Body]:
    """All objects of a release, hooks too, in Helm's order."""
    known = [f"--api-versions={api}" for api in apis]
    options = ["--kube-version", KUBERNETES, "--namespace", namespace, "--values", "-", *known]
    text = helm("template", name, CHART, *options, stdin=json.dumps(values or {}))
    return [body for body in yaml.safe_load_all(text) if body]


def of_kind(bodies: Sequence[Body], kind: str) -> list[Body]:
    """Those of one kind."""
    return [body for body in bodies if body["kind"] == kind]


def only(bodies: Sequence[Body], kind: str) -> Body:
    """The one of a kind."""
    (body,) = of_kind(bodies, kind)
    return body
