"""The calls to the service in one pod."""

from asyncio import Semaphore
from dataclasses import replace
from typing import Any

from grpc.aio import AioRpcError, Channel

from forebay.pb.announcer.v1 import announcer_pb2
from forebay.pb.announcer.v1.announcer_pb2_grpc import AnnouncerServiceStub
from forebay.pb.conduit.v1 import conduit_pb2
from forebay.pb.conduit.v1.conduit_pb2_grpc import ConduitServiceStub
from forebay.pb.config.v1 import config_pb2
from forebay.pb.config.v1.config_pb2_grpc import ConfigServiceStub
from forebay.pb.outfeed.v1 import outfeed_pb2
from forebay.pb.outfeed.v1.outfeed_pb2_grpc import OutfeedServiceStub
from forebay.pb.router.v1 import router_pb2
from forebay.pb.router.v1.router_pb2_grpc import RouterServiceStub
from forebay.pb.store.v1 import store_pb2
from forebay.pb.store.v1.store_pb2_grpc import StoreServiceStub
from forebay.runtime import ClientChannel, ConfigDocument, UnavailableError, from_rpc_error
from forebay.runtime.cutcalls import cancellable
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
        """Ask how the service fares: GetStatus, and what there is to tell of services of its kind, each within 5 s."""
        async with self._turns:
            try:
                with cancellable():
                    status = await self._config().GetStatus(config_pb2.GetStatusRequest(), timeout=STATUS_SECONDS)
                    return viewed(self.name, status, **await self._children(status))
            except AioRpcError as error:
                return PodView(self.name, problem=problem_of(error, self.channel.target))

    async def apply(self, document: ConfigDocument) -> PodView:
        """Apply a configuration within 60 s, then look as `view` does.

        A service that has a higher revision ignores it, as the view's revision shows.
        """
        request = config_pb2.ApplyRequest(revision=document.revision, document=encode(document))
        problem = ""
        async with self._turns:
            try:
                with cancellable():
                    await self._config().Apply(request, timeout=APPLY_SECONDS)
            except AioRpcError as error:
                problem = problem_of(error, self.channel.target)
        view = await self.view()
        return replace(view, problem=view.problem or problem)

    async def _children(self, status: config_pb2.GetStatusResponse) -> dict[str, Any]:
        """The peers of an outfeed; the queues of a store, and its pods in sync; the forwarders of an announcer;
        what a router knows; the peers of a node of conduit.

        None while it has no sound configuration, nor of a pod that only keeps a copy.
        """
        ask = ASKED.get(status.service)
        if ask is None or not status.revision:
            return {}
        try:
            with cancellable():
                return await ask(self.channel.get())
        except AioRpcError as error:
            if isinstance(from_rpc_error(error), UnavailableError):
                return {}
            raise

    def _config(self) -> ConfigServiceStub:
        return ConfigServiceStub(self.channel.get())


async def of_outfeed(channel: Channel) -> dict[str, Any]:
    """The peers."""
    answer = await OutfeedServiceStub(channel).ListPeers(outfeed_pb2.ListPeersRequest(), timeout=STATUS_SECONDS)
    return {"peers": answer.peers}


async def of_store(channel: Channel) -> dict[str, Any]:
    """The queues, and the pods in sync."""
    stub = StoreServiceStub(channel)
    queues = await stub.ListQueues(store_pb2.ListQueuesRequest(), timeout=STATUS_SECONDS)
    store = await stub.GetStore(store_pb2.GetStoreRequest(), timeout=STATUS_SECONDS)
    return {"queues": queues.queues, "members": store.members}


async def of_announcer(channel: Channel) -> dict[str, Any]:
    """The forwarders, and the job queue with how much is tracked."""
    stub = AnnouncerServiceStub(channel)
    found = await stub.ListForwarders(announcer_pb2.ListForwardersRequest(), timeout=STATUS_SECONDS)
    queue = await stub.GetQueue(announcer_pb2.GetQueueRequest(), timeout=STATUS_SECONDS)
    return {"forwarders": found.forwarders, "queue": queue}


async def of_router(channel: Channel) -> dict[str, Any]:
    """How it is, with its links."""
    stub = RouterServiceStub(channel)
    return {"router": await stub.GetRouter(router_pb2.GetRouterRequest(), timeout=STATUS_SECONDS)}


async def of_conduit(channel: Channel) -> dict[str, Any]:
    """How it is, with its peers."""
    stub = ConduitServiceStub(channel)
    return {"conduit": await stub.GetNode(conduit_pb2.GetNodeRequest(), timeout=STATUS_SECONDS)}


ASKED = {
    "outfeed": of_outfeed,
    "store": of_store,
    "announcer": of_announcer,
    "router": of_router,
    "conduitnode": of_conduit,
}
"""What is asked of a service, by its kind."""
