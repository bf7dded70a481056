"""Manifests out of the files of other programs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from forebay.announcer.errors import ForwardersFileError
from forebay.announcer.forwarding.forwardersfile import read_forwarders
from forebay.api.v1alpha1 import API_VERSION
from forebay.cli.errors import InputError

ANNOUNCER_FILE, FORWARDERS_FILE = "announcer.yaml", "forwarders.yaml"


def import_forwarders(file: Path, folder: Path, announcer: str) -> None:
    """Write the Announcer and its Forwarders. Raises `InputError`, or `OSError` when a file cannot be used."""
    try:
        forwarders = read_forwarders(file.read_text(encoding="utf-8"), announcer)
    except (ForwardersFileError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}") from error
    spec: dict[str, Any] = {"spec": {}}
    service = {"apiVersion": API_VERSION, "kind": "Announcer", "metadata": {"name": announcer}} | spec
    written = {ANNOUNCER_FILE: [service], FORWARDERS_FILE: forwarders}
    for name in written:
        if (folder / name).exists():
            raise InputError(f"{folder / name} is there already", "Give another folder by --to, or move it away.")
    folder.mkdir(parents=True, exist_ok=True)
    for name, manifests in written.items():
        write(folder / name, manifests)
    print(f"{len(forwarders)} forwarders written to {folder}; look at them, then `forebay validate -f {folder}`")


def write(path: Path, manifests: Sequence[dict[str, Any]]) -> None:
    """Write a new file of manifests, which nobody else can read: URLs may hold keys."""
    path.touch(mode=0o600, exist_ok=False)
    path.write_text(yaml.safe_dump_all(manifests, sort_keys=False, allow_unicode=True), encoding="utf-8")
