"""Sending manifests to running services."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from forebay.api import Manifests, read_files, with_uids
from forebay.api.v1alpha1 import Resource
from forebay.cli.choices import all_of
from forebay.cli.documents import document_of
from forebay.cli.errors import UndoneError
from forebay.cli.options import Output
from forebay.cli.plainmessage import plain
from forebay.cli.printing import print_json, print_table
from forebay.cli.revision import next_revision
from forebay.cli.targets import grpc_address
from forebay.client import ConfigClient
from forebay.pb.config.v1 import config_pb2 as pb
from forebay.runtime import AbortedError, ConfigDocument

Identity = tuple[str, str, str]
"""Kind, namespace and name."""


class Answer(NamedTuple):
    """What one service answered."""

    address: str
    response: pb.ApplyResponse


async def apply_files(
    files: Sequence[Path], addresses: Sequence[str], data: Path, tls: Path | None, output: Output
) -> None:
    """Apply files to services and print what came of each resource.

    Raises `UndoneError` when one was not applied, and `ServiceError` or `ManifestError`.
    """
    manifests = read_files(files)
    addresses = addresses or [grpc_address(service) for service in all_of(manifests)]
    statuses = await asyncio.gather(*(status_of(address, tls) for address in addresses))
    identified = with_uids(with_known_uids(manifests, known_uids(statuses)), data)
    revision = next_revision(data, max(status.revision for status in statuses))
    document = document_of(identified, revision)
    answers = [Answer(address, await send(address, tls, document)) for address in addresses]
    if output is Output.JSON:
        print_json([{"address": answer.address, **plain(answer.response)} for answer in answers])
    else:
        rows = result_rows(answers)
        print_table(f"revision {revision}", ("kind", "name", "applied", "remarks"), rows)
    refused = {identity_of(result) for answer in answers for result in answer.response.results if not result.applied}
    if refused:
        raise UndoneError(f"{len(refused)} of {len(manifests.resources)} resources were not applied")


async def status_of(address: str, tls: Path | None) -> pb.GetStatusResponse:
    """What a service has now."""
    async with ConfigClient.connect(address, tls) as client:
        return await client.status()


async def send(address: str, tls: Path | None, document: ConfigDocument) -> pb.ApplyResponse:
    """Apply a document to one service. Raises `AbortedError` when someone else was faster."""
    async with ConfigClient.connect(address, tls) as client:
        response = await client.apply(document)
    if response.ignored:
        raise AbortedError(f"{address} has got revision {response.revision} from elsewhere meanwhile; apply again")
    return response


def known_uids(statuses: Iterable[pb.GetStatusResponse]) -> dict[Identity, str]:
    """The identities that services have given their resources."""
    return {identity_of(result): result.uid for status in statuses for result in status.resources if result.uid}


def with_known_uids(manifests: Manifests, uids: Mapping[Identity, str]) -> Manifests:
    """The manifests, each resource that a service has already under the identity that it has there."""
    return Manifests(tuple(_identified(resource, uids) for resource in manifests.resources), manifests.secrets)


def _identified(resource: Resource, uids: Mapping[Identity, str]) -> Resource:
    uid = resource.metadata.uid or uids.get(resource.identity, "")
    return resource.model_copy(update={"metadata": resource.metadata.model_copy(update={"uid": uid})})


def identity_of(result: pb.ResourceResult) -> Identity:
    """Kind, namespace and name of a result."""
    return result.kind, result.namespace, result.name


def result_rows(answers: Iterable[Answer]) -> list[tuple[str, str, str, str]]:
    """One row a resource: applied when all services have; what any of them remarks, once."""
    applied: dict[Identity, bool] = {}
    remarks: dict[Identity, dict[str, None]] = {}
    for answer in answers:
        for result in answer.response.results:
            identity = identity_of(result)
            applied[identity] = applied.get(identity, True) and result.applied
            found = [*(f"{each.field}: {each.description}" for each in result.violations), *result.warnings]
            remarks.setdefault(identity, {}).update(dict.fromkeys(found))
    return [
        (kind, name, "yes" if applied[kind, namespace, name] else "no", "\n".join(remarks[kind, namespace, name]))
        for kind, namespace, name in applied
    ]
