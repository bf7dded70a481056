"""YAML documents, read strictly: plain data, no repeated keys, no aliases, bounded; each value knows its line."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.constructor import SafeConstructor

from forebay.api.errors import ManifestError
from forebay.api.violations import Path, Violation

# The C parser is ten times as fast; a PyYAML built without libyaml has the other one alone.
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

LONGEST = 4 * 1024**2
DEEPEST = 50
YAML_REMEDY = "indent by spaces, and put text with special characters between quotes"

_TAG = "tag:yaml.org,2002:"
_CONSTRUCTOR = SafeConstructor()
_SCALARS: dict[str, Callable[[yaml.ScalarNode], Any]] = {
    f"{_TAG}str": lambda node: node.value,
    # A date is text to us, as it is to kubectl.
    f"{_TAG}timestamp": lambda node: node.value,
    f"{_TAG}null": lambda node: None,
    f"{_TAG}bool": _CONSTRUCTOR.construct_yaml_bool,
    f"{_TAG}int": _CONSTRUCTOR.construct_yaml_int,
    f"{_TAG}float": _CONSTRUCTOR.construct_yaml_float,
}


@dataclass
class Document:
    """One YAML document of a file."""

    file: str
    """Name of the file."""
    lines: dict[Path, int] = field(default_factory=dict)
    """Line of each value in the file, from 1; () is the whole document."""
    value: Any = None
    """Mappings, lists, text, numbers, truth values and None."""

    def line(self, path: Path = ()) -> int:
        """Line of a value; of what surrounds it where the value itself is missing."""
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines[path]

    def place(self, path: Path = ()) -> str:
        """`file:line` of a value."""
        return f"{self.file}:{self.line(path)}"


def documents(file: str, text: str) -> Iterator[Document]:
    """The documents of a file, without the empty ones.

    Raises `ManifestError` where the text is not the YAML that resources are made of.
    """
    if len(text) > LONGEST:
        raise ManifestError([f"{file}: has {len(text):,} characters; split it into files of at most {LONGEST:,}"])
    try:
        for node in yaml.compose_all(text, Loader=Loader):
            document = Document(file)
            document.value = _Reader(document).read(node, ())
            if document.value is not None:
                yield document
    # Causes are left out: they quote the text, which may hold secrets.
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ManifestError([f"{file}{line}: is no YAML: {error.problem}; {YAML_REMEDY}"]) from None
    except yaml.YAMLError as error:
        raise ManifestError([f"{file}: is no YAML: {str(error).splitlines()[0]}; {YAML_REMEDY}"]) from None
    except RecursionError:
        raise ManifestError([f"{file}: is nested too deeply; give at most {DEEPEST} levels"]) from None


class _Reader:
    """Turns the nodes of one document into plain data and notes their lines."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._seen: set[int] = set()

    def read(self, node: yaml.Node, path: Path) -> Any:
        # An alias shows as the same node again. Aliases of aliases make a page of text into gigabytes.
        if id(node) in self._seen:
            raise self._error(path, "is an alias; write the value out")
        self._seen.add(id(node))
        self._document.lines[path] = node.start_mark.line + 1
        if len(path) > DEEPEST:
            raise self._error(path, f"is nested too deeply; give at most {DEEPEST} levels")
        if isinstance(node, yaml.MappingNode) and node.tag == f"{_TAG}map":
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode) and node.tag == f"{_TAG}seq":
            return [self.read(item, (*path, position)) for position, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag != f"{_TAG}str":
                raise self._error(path, f"has a key in line {line} that is no text; put it between quotes")
            here = (*path, key_node.value)
            self._document.lines[here] = line
            if key_node.value in values:
                raise self._error(here, "is given twice; remove one")
            values[key_node.value] = self.read(value_node, here)
            self._document.lines[here] = line
        return values

    def _scalar(self, node: yaml.Node, path: Path) -> Any:
        construct = _SCALARS.get(node.tag) if isinstance(node, yaml.ScalarNode) else None
        if construct is None:
            raise self._error(path, f"has the tag {node.tag}; give plain text, numbers, lists and mappings")
        try:
            return construct(node)  # type: ignore[arg-type]
        except (ValueError, KeyError):
            raise self._error(path, "does not fit its tag; give plain text, numbers or true and false") from None

    def _error(self, path: Path, problem: str) -> ManifestError:
        return ManifestError([f"{self._document.place(path)}: {Violation(path, problem)}"])
