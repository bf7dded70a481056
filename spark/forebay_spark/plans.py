"""Plans of compactions as text, which options of a data source have to be."""

import json
from dataclasses import asdict

from forebay.spill import Kind
from forebay.spill.compactionplan import Input, Plan


def text_of(plan: Plan) -> str:
    """A plan as JSON."""
    inputs = [part._asdict() | {"first": part.first.decode(), "last": part.last.decode()} for part in plan.inputs]
    return json.dumps(asdict(plan) | {"inputs": inputs})


def parse_plan(text: str) -> Plan:
    """The plan of a text that `text_of` made."""
    fields = json.loads(text)
    return Plan(**fields | {"inputs": tuple(map(_input, fields["inputs"]))})


def _input(fields: dict[str, str]) -> Input:
    ends = {end: fields[end].encode() for end in ("first", "last")}
    return Input(**fields | ends | {"kind": Kind(fields["kind"])})  # type: ignore[arg-type]
