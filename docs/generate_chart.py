"""Generate the chart's README.md from the comments of its values.yaml and the bounds of its values.schema.json.

Usage: generate_chart.py [--check]

With --check nothing is written: the exit status is 1 when the page is not current.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from generatedpage import main

CHART = Path(__file__).parents[1] / "charts" / "forebay"
PAGE = CHART / "README.md"

INTRODUCTION = """\
# Forebay's chart

<!-- Made by docs/generate_chart.py from values.yaml and values.schema.json; change those, then run it. -->

Installs the operator of Forebay and the definitions of its resources. What to do with them is in the documentation,
`docs/kubernetes.md`.

    helm install forebay charts/forebay --namespace forebay --create-namespace

It needs Kubernetes 1.30 or later and Helm 3.17 or later.

## Rights

The operator gets a Role in its own namespace and in each of `namespaces`; there alone it may read and write Secrets.
A ClusterRole exists only with `clusterWide: true`, and has no right to Secrets. No rule has a wildcard. Drivers of
Compactions have an account of their own in each of `namespaces`, with a Role for pods alone.

## Upgrade

    helm upgrade forebay charts/forebay --namespace forebay --reset-then-reuse-values

The definitions of the resources are upgraded with the release. A change of any value rolls the operator; services are
rolled only where their pods have to change.

## Uninstall, and install again

    helm uninstall forebay --namespace forebay

ends the operator alone. The definitions stay (`crds.keep`), and with them every resource, its services, Secrets and
volumes; services go on as they are. A release of the same name and namespace takes all of it over again. One of another
name or namespace needs `--take-ownership`, for Helm refuses definitions that were another release's:

    helm install other charts/forebay --namespace other --take-ownership

To remove everything, delete the resources first, while the operator runs, then uninstall, then delete the definitions:

    kubectl delete compactions,peerfeeds,storequeues,forwarders --all --all-namespaces
    kubectl delete outfeeds,stores,announcers,routers,conduitnodes,spills --all --all-namespaces
    helm uninstall forebay --namespace forebay
    kubectl delete customresourcedefinitions -l app.kubernetes.io/part-of=forebay

Volumes (PersistentVolumeClaims) stay until you delete them.

Several releases may share a cluster, each with `namespaces` of its own: one has the definitions, the others are
installed with `crds.enabled=false`.

## Values

A value that is not listed here, or that does not fit, is refused with its name.
"""


class Value(NamedTuple):
    """One value as values.yaml has it."""

    path: tuple[str, ...]
    meaning: str
    default: Any
    is_section: bool


def page() -> str:
    """The whole page."""
    schema = json.loads((CHART / "values.schema.json").read_text())
    rows = [row(value, allowed(schema, value.path)) for value in values((CHART / "values.yaml").read_text())]
    return "\n".join([INTRODUCTION, "| value | meaning | allowed | default |", "|---|---|---|---|", *rows, ""])


def values(text: str) -> Iterator[Value]:
    """All values, each before those within it.

    Raises `ValueError` for one without a comment.
    """
    yield from within(yaml.compose(text, Loader=yaml.SafeLoader), text.splitlines(), ())


def within(mapping: Any, lines: list[str], path: tuple[str, ...]) -> Iterator[Value]:
    """The values of a mapping of values.yaml. Below one that itself has no commented values, they are its content."""
    for key, node in mapping.value:
        place = (*path, key.value)
        is_section = isinstance(node, yaml.MappingNode) and has_comments(node, lines)
        comment = comment_above(lines, key.start_mark.line)
        if not comment:
            raise ValueError(f"values.yaml, line {key.start_mark.line + 1}: {'.'.join(place)} has no comment")
        yield Value(place, comment, yaml.SafeLoader("").construct_object(node, deep=True), is_section)
        if is_section:
            yield from within(node, lines, place)


def has_comments(mapping: yaml.MappingNode, lines: list[str]) -> bool:
    """Whether the first value of a mapping is described."""
    return bool(mapping.value) and bool(comment_above(lines, mapping.value[0][0].start_mark.line))


def comment_above(lines: list[str], line: int) -> str:
    """The comment that ends right above a line (counted from 0)."""
    words: list[str] = []
    while line > 0 and lines[line - 1].lstrip().startswith("#"):
        line -= 1
        words.insert(0, lines[line].lstrip().removeprefix("#").strip())
    return " ".join(words)


def allowed(schema: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """The schema of a value, its references followed."""
    found = schema
    for name in path:
        found = resolved(schema, found["properties"][name])
    return found


def resolved(schema: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """A part of the schema together with what it refers to."""
    name = part.get("$ref", "").removeprefix("#/definitions/")
    return {**schema["definitions"][name], **part} if name else part


def row(value: Value, schema: dict[str, Any]) -> str:
    """A value as a line of the table."""
    name = ".".join(value.path)
    if value.is_section:
        return f"| **`{name}`** | {value.meaning} | | |"
    return f"| `{name}` | {value.meaning} | {bounds(schema)} | `{json.dumps(value.default)}` |"


def bounds(schema: dict[str, Any]) -> str:
    """What a value may be, in words."""
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"] if each != "")
    if schema["type"] == "boolean":
        return "`true`, `false`"
    return {"array": "list", "object": "map", "string": "text"}[schema["type"]]


if __name__ == "__main__":
    main(PAGE, page, Path(__file__), __doc__)
