"""Importing: files of other programs, each recognised and handed to who can make manifests of it."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from forebay.announcer.errors import ForwardersFileError
from forebay.announcer.forwarding.forwardersfile import read_forwarders
from forebay.api.v1alpha1 import API_VERSION
from forebay.cli.errors import InputError
from forebay.cli.options import Output
from forebay.cli.printing import print_json, print_table
from forebay.outfeed.errors import MigrationError
from forebay.outfeed.migration.migration import kind_of, migrate

Source = tuple[Path, str]
"""A file and what is in it."""
PRIVATE = 0o600
LARGEST = 16 << 20
"""Octets of a file that is read."""


@dataclass(frozen=True)
class Imported:
    """What was made of files."""

    files: dict[str, str]
    """Manifests as YAML, by the name of the file that they belong into."""
    secret: frozenset[str]
    """Names of those that nobody else may read."""
    resources: list[tuple[str, str]]
    """Kind and name of each resource."""
    notes: list[tuple[str, str, str]]
    """Where, what, and why it could not be carried over."""


@dataclass(frozen=True)
class Importer:
    """Who makes manifests of some kinds of files."""

    files: str
    """What they are, for messages."""
    takes: Callable[[Path, str], bool]
    """Whether a file is one of them, told by its path and what is in it."""
    name: str
    """Name of the service where none is given."""
    convert: Callable[[Sequence[Source], str], Imported]
    """Makes manifests of all of them together; the text names the service that they are for. Raises `InputError`."""


def import_files(paths: Sequence[Path], to: Path, name: str, output: Output) -> None:
    """Write the manifests that files become into a folder, and print what could not be carried over.

    Raises `InputError` when a file is of no known kind, or a manifest is there already.
    """
    sources = [(path, read_text(path)) for path in paths]
    importer = _one_importer(sources)
    imported = importer.convert(sources, name or importer.name)
    written = _write(imported, to)
    if output is Output.JSON:
        resources = [{"kind": kind, "name": each} for kind, each in imported.resources]
        notes = [{"place": place, "subject": subject, "reason": reason} for place, subject, reason in imported.notes]
        print_json({"files": written, "resources": resources, "notes": notes})
        return
    print_table(f"{len(imported.resources)} resources in {to}", ("kind", "name"), imported.resources)
    if imported.notes:
        print()
        print_table("Not carried over, or not as it was:", ("where", "what", "why"), imported.notes)


def read_text(path: Path) -> str:
    """What is in a file. Raises `InputError` where it is too large, and `OSError`."""
    if path.stat().st_size > LARGEST:
        raise InputError(f"{path} is larger than {LARGEST >> 20} MiB", "Name a file of settings.")
    octets = path.read_bytes()
    try:
        return octets.decode()
    except UnicodeDecodeError:
        # Files of old servers; any octets are text there.
        return octets.decode("latin-1")


def _one_importer(sources: Sequence[Source]) -> Importer:
    found = [_importer_of(source) for source in sources]
    if any(importer is not found[0] for importer in found):
        raise InputError("the files are of different programs", "Import those of one program at a time.")
    return found[0]


def _importer_of(source: Source) -> Importer:
    importer = next((each for each in IMPORTERS if each.takes(*source)), None)
    if importer is None:
        known = ", ".join(each.files for each in IMPORTERS)
        raise InputError(f"{source[0]} is no file that can be imported", f"Known are: {known}.")
    return importer


def _write(imported: Imported, to: Path) -> list[str]:
    to.mkdir(parents=True, exist_ok=True)
    files = {to / name: text for name, text in imported.files.items() if text}
    for file in files:
        if file.exists():
            raise InputError(f"{file} is there already", "Remove it, or name another folder by --to.")
    for file, text in files.items():
        mode = PRIVATE if file.name in imported.secret else 0o666
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as stream:
            stream.write(text)
    return [str(file) for file in files]


def _convert_inn(sources: Sequence[Source], name: str) -> Imported:
    try:
        found = migrate(sources, name, read_text)
    except MigrationError as error:
        raise InputError(str(error)) from error
    secrets = "secrets.yaml"
    files = {"outfeed.yaml": found.service_yaml(), "peers.yaml": found.peers_yaml(), secrets: found.secrets_yaml()}
    manifests = [*found.service, *(peer.manifest for peer in found.peers)]
    return Imported(
        files,
        frozenset({secrets}),
        [(manifest["kind"], manifest["metadata"]["name"]) for manifest in manifests],
        [(str(note.place), note.subject, note.reason) for note in found.notes],
    )


def _takes_forwarders(path: Path, text: str) -> bool:
    return path.suffix in (".yml", ".yaml") or text.lstrip().startswith("- uri:")


def _convert_forwarders(sources: Sequence[Source], name: str) -> Imported:
    forwarders: list[dict[str, Any]] = []
    for path, text in sources:
        try:
            forwarders += read_forwarders(text, name)
        except ForwardersFileError as error:
            raise InputError(f"{path}: {error}") from error
    announcer: dict[str, Any] = {
        "apiVersion": API_VERSION,
        "kind": "Announcer",
        "metadata": {"name": name},
        "spec": {},
    }
    files = {"announcer.yaml": [announcer], "forwarders.yaml": forwarders}
    return Imported(
        {file: yaml.safe_dump_all(manifests, sort_keys=False) for file, manifests in files.items()},
        # URLs may hold keys.
        frozenset(files),
        [(each["kind"], each["metadata"]["name"]) for each in (announcer, *forwarders)],
        [],
    )


IMPORTERS = (
    Importer("INN's innfeed.conf and newsfeeds", lambda path, text: bool(kind_of(path, text)), "hub", _convert_inn),
    Importer("a retracker's forwarders.yml", _takes_forwarders, "lan", _convert_forwarders),
)
