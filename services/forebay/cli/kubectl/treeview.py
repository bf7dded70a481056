"""Trees of resources as text: problems first, then every resource on a line of its own; or as plain values."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from forebay.cli.kubectl.cluster import inventory
from forebay.cli.kubectl.objects import Condition, Pod, Resource, shortly
from forebay.cli.kubectl.problems import Problem, problems
from forebay.cli.kubectl.program import Kubectl
from forebay.cli.kubectl.tree import Branch, tree_of, trees
from forebay.cli.options import Output
from forebay.cli.printing import make_table, print_json, stdout

ENDLESS = 10_000
"""Columns of a terminal that nothing is too wide for."""
COLUMNS = ("resource", "ready", "reason", "age", "figures")
IN_FORCE = {"UpToDate": " (in force)", "Applying": " (not in force yet)"}
"""What the reason of Progressing says of the revision."""
Row = tuple[str, str, str, str, str]


def show_status(kubectl: Kubectl, resource: str, output: Output) -> None:
    """Print all resources, or one with what belongs to it. Raises `KubectlError`, and `InputError` for a wrong name."""
    found = inventory(kubectl)
    branches = tree_of(found, resource) if resource else trees(found)
    now = datetime.now(UTC)
    if output is Output.JSON:
        told = [plain_problem(each) for each in problems(branches)]
        print_json({"problems": told, "resources": [plain(branch, now) for branch in branches]})
    elif branches:
        print_trees(branches, now)
    else:
        print("There is nothing of Forebay here. To begin: kubectl apply -f examples/quickstart")


def print_trees(branches: Sequence[Branch], now: datetime) -> None:
    """Print trees for people."""
    console = stdout()
    # As kubectl's own tables: on a narrow terminal lines go on in the next one, and no name is cut.
    endless = Console(highlight=False, markup=False, width=ENDLESS)
    for problem in problems(branches):
        console.print(Text(f"{problem_text(problem)}\n"))
    for namespace, group in groupby(branches, key=lambda branch: branch.resource.namespace):
        table = make_table(COLUMNS)
        for row in rows(group, now):
            table.add_row(*row)
        endless.print(Text(f"namespace {namespace}"), table)


def problem_text(problem: Problem) -> str:
    """A problem in two lines."""
    condition = problem.condition
    what = f"{condition.type} is {condition.status}" + (f" ({condition.reason})" if condition.reason else "")
    return f"{problem.title}: {what}: {condition.message}\n  next: {problem.next_step}"


def rows(branches: Iterable[Branch], now: datetime) -> Iterator[Row]:
    """The lines of trees."""
    for branch in branches:
        yield from _rows(branch, now, "", "")


def _rows(branch: Branch, now: datetime, stem: str, below: str) -> Iterator[Row]:
    resource = branch.resource
    ready = resource.ready
    yield stem + resource.title, ready.status, ready.reason, shortly(resource.age(now)), figures(resource)
    inner: list[Pod | Branch] = [*branch.pods, *branch.children]
    for each in inner:
        last = each is inner[-1]
        stem, deeper = below + ("└─ " if last else "├─ "), below + ("   " if last else "│  ")
        if isinstance(each, Branch):
            yield from _rows(each, now, stem, deeper)
        else:
            yield _pod_row(each, now, stem)


def _pod_row(pod: Pod, now: datetime, stem: str) -> Row:
    restarts = f"restarts {pod.restarts}" if pod.restarts else ""
    return stem + pod.title, pod.ready.status, pod.phase, shortly(pod.age(now)), restarts


def figures(resource: Resource) -> str:
    """The figures of a resource in a line."""
    found = resource.figures
    if "revision" in found:
        found["revision"] = f"{found['revision']}{_in_force(resource)}"
    return "  ".join(f"{name} {value}" for name, value in found.items())


def _in_force(resource: Resource) -> str:
    """Whether the pods have the revision that was written last, as far as that is known."""
    progressing = resource.conditions.get("Progressing")
    return IN_FORCE.get(progressing.reason, "") if progressing else ""


def plain(branch: Branch, now: datetime) -> dict[str, Any]:
    """A tree as JSON has it."""
    resource = branch.resource
    return {
        "kind": resource.kind,
        "namespace": resource.namespace,
        "name": resource.name,
        "uid": resource.uid,
        "generation": resource.generation,
        "observed_generation": resource.observed,
        "ready": _plain_condition(resource.ready),
        "conditions": [_plain_condition(each) for each in resource.conditions.values()],
        "figures": resource.figures,
        "age": resource.age(now).total_seconds(),
        "pods": [_plain_pod(pod, now) for pod in branch.pods],
        "children": [plain(child, now) for child in branch.children],
    }


def plain_problem(problem: Problem) -> dict[str, Any]:
    """A problem as JSON has it."""
    return {
        "about": problem.title,
        "namespace": problem.namespace,
        **_plain_condition(problem.condition),
        "next": problem.next_step,
    }


def _plain_pod(pod: Pod, now: datetime) -> dict[str, Any]:
    return {
        "name": pod.name,
        "phase": pod.phase,
        "ready": _plain_condition(pod.ready),
        "restarts": pod.restarts,
        "age": pod.age(now).total_seconds(),
    }


def _plain_condition(condition: Condition) -> dict[str, str]:
    return {
        "type": condition.type,
        "status": condition.status,
        "reason": condition.reason,
        "message": condition.message,
    }
