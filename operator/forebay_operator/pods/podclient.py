"""The calls to the service in one pod."""

from asyncio import Semaphore
from dataclasses import replace

from grpc.aio import AioRpcError

from forebay.pb.config.v1 import config_pb2
from forebay.pb.config.v1.config_pb2_grpc import ConfigServiceStub
from forebay.pb.outfeed.v1 import outfeed_pb2
from forebay.pb.outfeed.v1.outfeed_pb2_grpc import OutfeedServiceStub
from forebay.runtime import ClientChannel, ConfigDocument, UnavailableError, from_rpc_error
from forebay.runtime.document import encode
from forebay_operator.pods.podview import PodView, viewed
from forebay_operator.pods.problem import problem_of

STATUS_SECONDS = 5.0
APPLY_SECONDS = 60.0


class PodClient:
    """Calls the service in one pod. Never raises for a pod that can't be reached: its view tells the problem."""

    def __init__(self, name: str, channel: ClientChannel, turns: Semaphore) -> None:
        """`name` is the pod's; `turns` bounds the calls to all pods at once."""
        self.name = name
        self.channel = channel
        self._turns = turns

    async def view(self) -> PodView:
        """Ask how the service fares: GetStatus, and ListPeers of an outfeed, each within 5 s."""
        async with self._turns:
            try:
                status = await self._config().GetStatus(config_pb2.GetStatusRequest(), timeout=STATUS_SECONDS)
                peers = await self._peers() if status.service == "outfeed" and status.revision else ()
            except AioRpcError as error:
                return PodView(self.name, problem=problem_of(error, self.channel.target))
        return viewed(self.name, status, peers)

    async def apply(self, document: ConfigDocument) -> PodView:
        """Apply a configuration within 60 s, then look as `view` does.

        A service that has a higher revision ignores it, as the view's revision shows.
        """
        request = config_pb2.ApplyRequest(revision=document.revision, document=encode(document))
        problem = ""
        async with self._turns:
            try:
                await self._config().Apply(request, timeout=APPLY_SECONDS)
            except AioRpcError as error:
                problem = problem_of(error, self.channel.target)
        view = await self.view()
        return replace(view, problem=view.problem or problem)

    async def _peers(self) -> tuple[outfeed_pb2.PeerStatus, ...]:
        """The peers of an outfeed; none while it has no sound configuration."""
        stub = OutfeedServiceStub(self.channel.get())
        try:
            answer = await stub.ListPeers(outfeed_pb2.ListPeersRequest(), timeout=STATUS_SECONDS)
        except AioRpcError as error:
            if isinstance(from_rpc_error(error), UnavailableError):
                return ()
            raise
        return tuple(answer.peers)

    def _config(self) -> ConfigServiceStub:
        return ConfigServiceStub(self.channel.get())
