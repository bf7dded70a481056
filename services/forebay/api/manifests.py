"""Manifests: resources as they are written, read from files or from a document that a service is sent.

From files every fault is an error. From a document, which a newer operator may have written, an unknown field is a
warning, and a fault of one resource leaves the others alone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from forebay.api.document import Document, documents
from forebay.api.errors import ManifestError, SecretError
from forebay.api.inheritance import complete
from forebay.api.references import references
from forebay.api.secrets import Secrets, add_secret, is_secret, secret_value
from forebay.api.v1alpha1 import API_VERSION, KINDS, Outfeed, Peerfeed, Resource, SecretReference
from forebay.api.violations import Path as FieldPath
from forebay.api.violations import Violation, suggestion, unknown_fields, violations

R = TypeVar("R", bound=Resource)
SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True)
class Manifests:
    """Resources without a fault, and the Secrets given with them."""

    resources: tuple[Resource, ...]
    """In the order in which they were given."""
    secrets: Secrets = field(default_factory=dict, repr=False)
    """Values by `namespace/name` of a Secret, then by key."""

    def of(self, kind: type[R]) -> tuple[R, ...]:
        """All resources of a kind."""
        return tuple(resource for resource in self.resources if isinstance(resource, kind))

    def secret(self, namespace: str, reference: SecretReference) -> str:
        """The value that a reference points to.

        Raises `SecretError` when there is none.
        """
        return secret_value(self.secrets, f"{namespace}/{reference.name}", reference.key)


@dataclass
class Reading:
    """What was made of one manifest."""

    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    generation: int = 0
    resource: Resource | None = None
    """None when it is not well formed by itself. Violations beside one tell what it lacks around it."""
    violations: list[Violation] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    """One line for each field that was left aside."""
    parents: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Kinds and names of the resources that it needs, by the field of its spec that names them."""

    @property
    def title(self) -> str:
        """`Kind/name`, as far as known."""
        return "/".join(filter(None, (self.kind, self.name))) or "manifest"


def read_files(paths: Iterable[Path]) -> Manifests:
    """Read files, and the `*.yaml` and `*.yml` files right in folders.

    Raises `ManifestError` with everything wrong in any of them.
    """
    problems: list[str] = []
    secrets: dict[str, dict[str, str]] = {}
    read: list[tuple[Document, Reading]] = []
    for document in _all_documents(paths, problems):
        try:
            if is_secret(document.value):
                add_secret(secrets, document.value)
            else:
                read.append((document, read_object(document.value)))
        except SecretError as error:
            problems.append(f"{document.place()}: {error}")
    check_together([reading for _, reading in read])
    for _, reading in read:
        reading.violations += _missing_secrets(reading, secrets)
    for document, reading in read:
        found = sorted(reading.violations, key=lambda violation: document.line(violation.path))
        problems += [f"{document.place(each.path)}: {reading.title}: {each}" for each in found]
    if problems:
        raise ManifestError(problems)
    return Manifests(tuple(reading.resource for _, reading in read if reading.resource), secrets)


def read_objects(values: Sequence[object]) -> list[Reading]:
    """Read the manifests of a document that a service was sent: one reading each, in their order."""
    readings = [read_object(value, lenient=True) for value in values]
    check_together(readings)
    return readings


def read_object(value: object, *, lenient: bool = False) -> Reading:
    """Read one manifest by itself; `lenient` turns unknown fields into warnings."""
    if not isinstance(value, dict):
        return Reading(violations=[Violation((), "is no mapping; give apiVersion, kind, metadata and spec")])
    reading = _identified(value)
    if fault := _unknown_type(value):
        reading.violations.append(fault)
        return reading
    model = KINDS[reading.kind]
    reading.parents = _named_parents(value, model)
    try:
        reading.resource = model.model_validate(value, by_name=False)
    except ValidationError as error:
        unknown = unknown_fields(error) if lenient else []
        if unknown:
            return _read_without(unknown, value)
        reading.violations += violations(error, model)
    return reading


def check_together(readings: Sequence[Reading]) -> None:
    """Add to the readings what is wrong among them: resources given twice, and parents that are missing."""
    seen: set[tuple[str, str, str]] = set()
    for reading in readings:
        identity = reading.kind, reading.namespace, reading.name
        if reading.name and identity in seen:
            reading.violations.append(Violation(("metadata", "name"), "is given twice; remove or rename one"))
        seen.add(identity)
    for reading in readings:
        reading.violations += _dangling(reading, seen)
    _check_inheritance(readings)


def _check_inheritance(readings: Sequence[Reading]) -> None:
    """Add to sound Peerfeeds what is wrong once their Outfeed's defaults and patterns are filled in."""
    outfeeds = {each.identity: each for reading in readings if isinstance(each := reading.resource, Outfeed)}
    for reading in readings:
        peerfeed = reading.resource
        if isinstance(peerfeed, Peerfeed) and not reading.violations:
            outfeed = outfeeds.get(("Outfeed", reading.namespace, peerfeed.spec.outfeed_ref.name))
            reading.violations += complete(peerfeed, outfeed)[1] if outfeed else ()


def _dangling(reading: Reading, known: set[tuple[str, str, str]]) -> Iterator[Violation]:
    for parent_field, (kind, name) in reading.parents.items():
        wanted = kind, reading.namespace
        if (*wanted, name) not in known:
            names = sorted(other for kind, namespace, other in known if (kind, namespace) == wanted)
            remedy = suggestion(name, names) if names else "add it"
            problem = f"there is no {wanted[0]} {name} in namespace {wanted[1]}; {remedy}"
            yield Violation(("spec", parent_field, "name"), problem)


def _missing_secrets(reading: Reading, secrets: Secrets) -> Iterator[Violation]:
    for path, reference in references(reading.resource):
        try:
            secret_value(secrets, f"{reading.namespace}/{reference.name}", reference.key)
        except SecretError as error:
            yield Violation(path, str(error))


def _named_parents(value: Mapping[str, Any], model: type[Resource]) -> dict[str, tuple[str, str]]:
    """Parents that a manifest names, whether or not the rest of it is well formed."""
    spec = _object(value.get("spec"))
    references = {parent: _object(spec.get(parent)) for parent in model.parents}
    named = {
        parent: (model.parents[parent] or _word(reference.get("kind")), _word(reference.get("name")))
        for parent, reference in references.items()
    }
    return {parent: (kind, name) for parent, (kind, name) in named.items() if kind in KINDS and name}


def _identified(value: Mapping[str, Any]) -> Reading:
    """A reading that knows what the manifest is about, as far as that can be told."""
    metadata = _object(value.get("metadata"))
    return Reading(
        kind=_word(value.get("kind")),
        namespace=_word(metadata.get("namespace", "default")),
        name=_word(metadata.get("name")),
        uid=_word(metadata.get("uid")),
        generation=_number(metadata.get("generation")),
    )


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 2**63 else 0


def _unknown_type(value: Mapping[str, Any]) -> Violation | None:
    version, kind = value.get("apiVersion"), value.get("kind")
    if version != API_VERSION:
        return Violation(("apiVersion",), f"{version!s:.60} is not known; give {API_VERSION}")
    if kind not in KINDS:
        return Violation(("kind",), f"{kind!s:.60} is not known; {suggestion(str(kind), list(KINDS))}")
    return None


def _read_without(unknown: Iterable[FieldPath], value: dict[str, Any]) -> Reading:
    for path in unknown:
        value = _pruned(value, path)
    again = read_object(value, lenient=True)
    again.warnings += [f"{Violation(path, 'is unknown to this version and was left aside')}" for path in unknown]
    return again


def _pruned(value: Any, path: FieldPath) -> Any:
    """A copy of nested data without what is at the path."""
    first, *rest = path
    copy = value.copy()
    if rest:
        copy[first] = _pruned(value[first], tuple(rest))
    else:
        del copy[first]
    return copy


def _all_documents(paths: Iterable[Path], problems: list[str]) -> Iterator[Document]:
    """The documents of all files; what can't be read is added to the problems."""
    for path in paths:
        for file in _files(path, problems):
            try:
                yield from documents(str(file), file.read_text(encoding="utf-8"))
            except ManifestError as error:
                problems += error.problems
            except UnicodeDecodeError as error:
                problems.append(f"{file}: is no UTF-8 at octet {error.start}; save it as UTF-8")
            except OSError as error:
                problems.append(f"{file}: can't be read: {error.strerror}; name another")


def _files(path: Path, problems: list[str]) -> list[Path]:
    """The file, or those in the folder, by name."""
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.suffix in SUFFIXES and file.is_file())
    if not files:
        problems.append(f"{path}: holds no file that ends in {' or '.join(SUFFIXES)}; name another folder")
    return files
