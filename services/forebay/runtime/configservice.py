"""`forebay.config.v1.ConfigService`: the live path of configuration over gRPC."""

import asyncio
from importlib.metadata import version
from typing import TypeAlias

from grpc.aio import ServicerContext

from forebay.pb.config.v1 import config_pb2 as pb
from forebay.pb.config.v1.config_pb2_grpc import ConfigServiceServicer
from forebay.runtime.configuration import Configuration
from forebay.runtime.document import decode
from forebay.runtime.revisions import ResourceResult
from forebay.runtime.state import State

ApplyContext: TypeAlias = ServicerContext[pb.ApplyRequest, pb.ApplyResponse]
StatusContext: TypeAlias = ServicerContext[pb.GetStatusRequest, pb.GetStatusResponse]


class ConfigServicer(ConfigServiceServicer):
    """Answers Apply and GetStatus of one service."""

    def __init__(self, configuration: Configuration, state: State) -> None:
        self._configuration = configuration
        self._state = state

    async def Apply(self, request: pb.ApplyRequest, context: ApplyContext) -> pb.ApplyResponse:  # noqa: N802
        """Apply a newer document; the answer names the revision that is in force and its results."""
        document = await asyncio.to_thread(decode, request.revision, request.document)
        done = await self._configuration.apply(document)
        revisions = self._configuration.revisions
        return pb.ApplyResponse(
            revision=revisions.current, ignored=not done, results=[result_message(each) for each in revisions.results]
        )

    async def GetStatus(self, request: pb.GetStatusRequest, context: StatusContext) -> pb.GetStatusResponse:  # noqa: N802
        """Tell what is in force and how the service fares."""
        revisions = self._configuration.revisions
        return pb.GetStatusResponse(
            revision=revisions.current,
            service=self._state.name,
            version=version("forebay"),
            resources=[result_message(each) for each in revisions.results],
            degradations=[pb.Degradation(**each._asdict()) for each in self._state.degradations()],
            ready=self._state.ready,
        )


def result_message(result: ResourceResult) -> pb.ResourceResult:
    """A result as it is sent."""
    return pb.ResourceResult(
        kind=result.kind,
        namespace=result.namespace,
        name=result.name,
        uid=result.uid,
        generation=result.generation,
        applied=result.applied,
        violations=[pb.FieldViolation(field=each.field, description=each.description) for each in result.violations],
        warnings=result.warnings,
    )
