"""A retracker's forwarders.yml, read into Forwarder manifests."""

from __future__ import annotations

import ipaddress
import re
from itertools import chain, count
from typing import Any
from urllib.parse import urlsplit

import yaml

from forebay.announcer.errors import ForwardersFileError
from forebay.api.v1alpha1.metadata import API_VERSION

SCHEMES = ("http", "https", "udp")

_KEYS = ("uri", "name", "ip", "host")
_LONGEST_LABEL = 55
"""Below what RFC 1123 allows, so that a number fits behind it; the same for the whole name."""
_LONGEST_NAME = 240


def read_forwarders(text: str, announcer: str) -> list[dict[str, Any]]:
    """Manifests of all entries {uri, name, ip, host}, in their order, for this Announcer.

    A manifest is named after its entry's name, else after the host of its uri; names are made valid and unique. Entries
    that are alike in everything become one. Raises `ForwardersFileError` with the entry and the remedy.
    """
    forwarders: dict[str, dict[str, Any]] = {}
    seen: set[frozenset[tuple[str, str]]] = set()
    for number, raw in enumerate(_entries(text), start=1):
        entry = _entry(number, raw)
        identity = frozenset(entry.items())
        if identity in seen:
            continue
        seen.add(identity)
        name = _unique(_name(entry), forwarders)
        forwarders[name] = _manifest(name, entry, announcer)
    return list(forwarders.values())


def _entries(text: str) -> list[object]:
    try:
        entries = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ForwardersFileError(f"no YAML: {error}") from error
    if entries is None:
        return []
    if not isinstance(entries, list):
        raise ForwardersFileError("no list; give one entry for each tracker, as `- uri: http://…/announce`")
    return entries


def _entry(number: int, raw: object) -> dict[str, str]:
    """The fields that are told. Raises `ForwardersFileError`."""
    if not isinstance(raw, dict):
        raise ForwardersFileError(f"entry {number}: is no map; give `uri: http://…/announce`")
    if unknown := next((key for key in raw if key not in _KEYS), None):
        raise ForwardersFileError(f"entry {number}: {unknown!r} is unknown; there are {', '.join(_KEYS)}")
    if wrong := next((key for key, value in raw.items() if isinstance(value, dict | list)), None):
        raise ForwardersFileError(f"entry {number}: {wrong} is no text")
    entry = {key: str(value).strip() for key, value in raw.items() if value is not None}
    entry = {key: value for key, value in entry.items() if value}
    _check_uri(number, entry.get("uri", ""))
    _check_ip(number, entry.get("ip"))
    return entry


def _check_uri(number: int, uri: str) -> None:
    if not _is_tracker(uri):
        remedy = f"give {', '.join(SCHEMES)} with a host, and udp with a port"
        raise ForwardersFileError(f"entry {number}: uri {uri!r} is no tracker's address; {remedy}")


def _is_tracker(uri: str) -> bool:
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return False
    blank = any(letter.isspace() for letter in uri)
    return parts.scheme in SCHEMES and bool(parts.hostname) and not blank and (parts.scheme != "udp" or bool(port))


def _check_ip(number: int, ip: str | None) -> None:
    try:
        ipaddress.ip_address(ip or "0.0.0.0")  # noqa: S104 nothing is bound to it
    except ValueError as error:
        raise ForwardersFileError(f"entry {number}: ip {ip!r} is no IP address") from error


def _name(entry: dict[str, str]) -> str:
    """A name of RFC 1123 that resembles the entry's."""
    wanted = entry.get("name") or urlsplit(entry["uri"]).hostname or ""
    labels = re.sub(r"[^a-z0-9.]+", "-", wanted.lower()).split(".")
    fitting = [label.strip("-")[:_LONGEST_LABEL].rstrip("-") for label in labels]
    return ".".join(filter(None, fitting))[:_LONGEST_NAME].rstrip("-.") or "forwarder"


def _unique(name: str, taken: dict[str, dict[str, Any]]) -> str:
    """The name, or the first of name-2, name-3, … that is not taken."""
    candidates = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(candidate for candidate in candidates if candidate not in taken)


def _manifest(name: str, entry: dict[str, str], announcer: str) -> dict[str, Any]:
    spec: dict[str, Any] = {"announcerRef": {"name": announcer}, "url": entry["uri"]}
    spec |= {"hostHeader": entry["host"]} if "host" in entry else {}
    spec |= {"externalIp": entry["ip"]} if "ip" in entry else {}
    return {"apiVersion": API_VERSION, "kind": "Forwarder", "metadata": {"name": name}, "spec": spec}
