"""An outfeed as a test holds it: a process with its configuration, its data folder, its gRPC stubs and its accounts."""

import asyncio
import json
import os
import re
import signal
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import aiohttp
import grpc
from prometheus_client.parser import text_string_to_metric_families

from articles import Article
from eventually import eventually
from forebay.pb.config.v1 import config_pb2
from forebay.pb.config.v1.config_pb2_grpc import ConfigServiceStub
from forebay.pb.outfeed.v1 import outfeed_pb2 as pb
from forebay.pb.outfeed.v1.outfeed_pb2_grpc import OutfeedServiceStub
from forebay.runtime.document import ConfigDocument, encode
from forebay.runtime.secret import Secret
from outfeedprocess import IDENTITY, Plan, fork
from ports import free_port

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

SETTLED = ("accepted", "refused", "rejected", "expired", "dropped", "dead_lettered")
OWED = ("queued", "deferred", "in_flight")
COLUMNS = ("offered", *SETTLED, *OWED)
COLUMN = re.compile(rf'^forebay_outfeed_({"|".join(COLUMNS)})(?:_total)?{{peer="([^"]+)".*}} (\S+)$', re.MULTILINE)
BATCH = 100
API = "forebay.dev/v1alpha1"
Options = dict[str, Any]
Accounts = Mapping[str, Mapping[str, float]]
"""Columns by peer."""


@dataclass
class Offered:
    """What is known of articles that were offered."""

    confirmed: list[bytes] = field(default_factory=list)
    """Message-ids with the verdict ACCEPTED, in order."""
    duplicates: list[bytes] = field(default_factory=list)
    """Message-ids with the verdict DUPLICATE."""
    outcomes: Counter[int] = field(default_factory=Counter)
    """How many articles got each verdict (`pb.Outcome`)."""
    reasons: list[str] = field(default_factory=list)
    """Of the rejected ones, in order."""
    failure: grpc.aio.AioRpcError | None = None
    """What ended the call early."""

    def add(self, articles: Sequence[Article], verdict: pb.Verdict) -> None:
        self.outcomes[verdict.outcome] += verdict.count
        run = [article.message_id for article in articles[verdict.first : verdict.first + verdict.count]]
        if verdict.outcome == pb.OUTCOME_ACCEPTED:
            self.confirmed += run
        elif verdict.outcome == pb.OUTCOME_DUPLICATE:
            self.duplicates += run
        elif verdict.outcome == pb.OUTCOME_REJECTED:
            self.reasons.append(verdict.reason)


class Accounting:
    """Looks at the accounts of all peers without a pause, and keeps what was wrong with them."""

    def __init__(self, http: aiohttp.ClientSession, url: str) -> None:
        self.looks = 0
        self.faults: list[str] = []
        self._http = http
        self._url = url
        self._task = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        while True:
            # While the service is down, or going down, there is nothing to look at.
            with suppress(aiohttp.ClientError, OSError):
                self._check(accounts(await scrape(self._http, self._url)))
            await asyncio.sleep(0.03)

    def _check(self, found: Accounts) -> None:
        self.looks += 1
        for peer, columns in found.items():
            sum_of_columns = sum(columns[name] for name in (*SETTLED, *OWED))
            if columns["offered"] != sum_of_columns or min(columns.values()) < 0:
                self.faults.append(f"{peer}: {columns}")

    async def close(self) -> None:
        """Stop, and assert that the accounts were sound at every look."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        assert not self.faults, self.faults[:5]
        assert self.looks, "the accounts were never seen"


class OutfeedServer:
    """One Outfeed. `start` and `close` frame its use; in between its process may end and be started again."""

    def __init__(
        self, folder: Path, redis: str, outfeed: Options | None = None, *, lease: float = 2.0, watch: bool = True
    ) -> None:
        """`outfeed` is merged over the spec. Its data is in `folder` / "data"."""
        self.folder = folder
        self.nntp_port = free_port()
        self.peer_options: dict[str, Options] = {}
        self.secrets: dict[str, str] = {}
        """Values by the name of a Secret, each under the key `value`."""
        self.outfeed = {
            "spillRef": {"name": "main"},
            "listeners": {"nntp": {"port": self.nntp_port}},
            "history": {"rejectOld": False},
            **(outfeed or {}),
        }
        self.uids: defaultdict[str, str] = defaultdict(lambda: str(uuid4()))
        self.spill: Options = {"url": redis}
        self.watch = watch
        self.process: BaseProcess | None = None
        self.channel: grpc.aio.Channel | None = None
        self._plan = Plan(folder / "data", folder / "log", free_port(), free_port(), lease, impatient=watch)
        self._revisions = count(1)

    # Configuration

    def peer(self, name: str, port: int, **options: Any) -> None:
        """Describe a peer on a port of this machine; options replace those of its spec."""
        quick = {"reconnect": {"initial": "100ms", "maximum": "300ms"}, "deferral": {"minAge": "1s"}}
        place = {"outfeedRef": {"name": IDENTITY[1]}, "hosts": ["127.0.0.1"], "port": port}
        self.peer_options[name] = {**place, "connections": {"max": 1}, **quick, **options}

    def manifests(self) -> list[dict[str, Any]]:
        peers = [self._manifest("Peerfeed", name, options) for name, options in self.peer_options.items()]
        return [
            self._manifest("Spill", "main", self.spill),
            self._manifest("Outfeed", IDENTITY[1], self.outfeed),
            *peers,
        ]

    def _manifest(self, kind: str, name: str, spec: Options) -> dict[str, Any]:
        metadata = {"name": name, "namespace": IDENTITY[0], "uid": self.uids[f"{kind}/{name}"]}
        return {"apiVersion": API, "kind": kind, "metadata": metadata, "spec": spec}

    def _secrets(self) -> dict[str, dict[str, Secret]]:
        return {f"{IDENTITY[0]}/{name}": {"value": Secret(text)} for name, text in self.secrets.items()}

    async def apply(self) -> config_pb2.ApplyResponse:
        """Send the configuration, as it is described now, to the running service."""
        document = ConfigDocument(next(self._revisions), tuple(self.manifests()), self._secrets())
        request = config_pb2.ApplyRequest(revision=document.revision, document=encode(document))
        return await self.config.Apply(request)

    # Process

    async def start(self) -> None:
        """Start the process, and wait until it takes requests."""
        document = encode(ConfigDocument(1, tuple(self.manifests()), self._secrets()))
        self._plan = self._plan.with_document(next(self._revisions), document)
        self.process = await asyncio.to_thread(fork, self._plan)
        await self._hang_up()
        # A pool of its own: else the back-off of the calls to the process before it would go on.
        options = [("grpc.use_local_subchannel_pool", 1)]
        self.channel = grpc.aio.insecure_channel(f"127.0.0.1:{self._plan.grpc_port}", options)
        self.stub = OutfeedServiceStub(self.channel)
        self.config = ConfigServiceStub(self.channel)
        if not hasattr(self, "_http"):
            self._http = aiohttp.ClientSession()
            self.accounting = Accounting(self._http, self._url("metrics")) if self.watch else None
        await eventually(self._is_ready)

    async def _hang_up(self) -> None:
        # Not before the next start: calls in progress are to find out for themselves that the process has gone.
        if self.channel:
            await self.channel.close()
            self.channel = None

    async def _is_ready(self) -> bool:
        assert self.process is not None
        if not self.process.is_alive():
            raise RuntimeError(f"the outfeed ended with {self.process.exitcode}: {self.log_text()[-3000:]}")
        with suppress(aiohttp.ClientError):
            async with self._http.get(self._url("readyz")) as response:
                return response.status == 200
        return False

    def kill_now(self) -> None:
        """Send SIGKILL; `kill` waits for the end too."""
        assert self.process is not None
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGKILL)

    async def kill(self) -> None:
        """End the process as `kill -9` does."""
        self.kill_now()
        await self._ended()

    async def stop(self) -> None:
        """End the process in order, by SIGTERM."""
        assert self.process is not None
        self.process.terminate()
        code = await self._ended()
        assert code == 0, self.log_text()[-3000:]

    async def _ended(self) -> int | None:
        assert self.process is not None
        await asyncio.to_thread(self.process.join, 60)
        code = self.process.exitcode
        self.process.close()
        self.process = None
        return code

    async def close(self) -> None:
        """End everything, and assert that the accounts were sound all the time."""
        if self.process:
            await self.kill()
        await self._hang_up()
        if hasattr(self, "_http"):
            try:
                if self.accounting:
                    await self.accounting.close()
            finally:
                await self._http.close()

    @property
    def pid(self) -> int:
        """Of the running process."""
        assert self.process is not None
        assert self.process.pid is not None
        return self.process.pid

    # What it says

    async def offer(self, articles: Iterable[Article], *, batch: int = BATCH, into: Offered | None = None) -> Offered:
        """Offer articles over gRPC. When the call fails, `failure` tells how, the rest what was confirmed before."""
        offered = into or Offered()
        articles = list(articles)
        try:
            async for response in self.stub.Offer(requests(articles, batch)):
                for verdict in response.verdicts:
                    offered.add(articles, verdict)
        except grpc.aio.AioRpcError as error:
            offered.failure = error
        return offered

    async def peers(self) -> dict[str, pb.PeerStatus]:
        """All peers by name."""
        listed = await self.stub.ListPeers(pb.ListPeersRequest())
        return {status.name: status for status in listed.peers}

    async def counters(self, peer: str) -> pb.PeerCounters:
        return (await self.peers())[peer].counters

    async def flush(self, peer: str) -> int:
        return (await self.stub.Flush(pb.FlushRequest(peer=peer))).entries

    async def metrics(self) -> dict[str, float]:
        """Samples by name, without those that have labels."""
        return {
            sample.name: sample.value
            for family in text_string_to_metric_families(await scrape(self._http, self._url("metrics")))
            for sample in family.samples
            if not sample.labels
        }

    async def samples(self, name: str, label: str, peer: str) -> dict[str, float]:
        """The samples of a metric for one peer, by what `label` says."""
        return {
            sample.labels[label]: sample.value
            for family in text_string_to_metric_families(await scrape(self._http, self._url("metrics")))
            for sample in family.samples
            if sample.name == name and sample.labels.get("peer") == peer
        }

    async def degradations(self) -> dict[str, str]:
        """Message by reason; GetStatus and /readyz have to agree, and the service has to be ready."""
        status = await self.config.GetStatus(config_pb2.GetStatusRequest())
        async with self._http.get(self._url("readyz")) as response:
            assert response.status == 200
        assert status.ready
        return {each.reason: each.message for each in status.degradations}

    async def connected(self, peer: str) -> None:
        """Wait until a peer can be sent to."""

        async def check() -> bool:
            return (await self.peers())[peer].state == pb.PEER_STATE_CONNECTED

        await eventually(check)

    async def drained(self, peer: str, *, within: float = 30.0, every: float = 0.02) -> pb.PeerCounters:
        """Wait until nothing is owed to a peer any more."""

        async def check() -> pb.PeerCounters | None:
            counters = await self.counters(peer)
            assert not counters.queued + counters.deferred + counters.in_flight, counters
            return counters

        return await eventually(check, within=within, every=every)

    async def emptied(self, *, within: float = 30.0) -> None:
        """Wait until no body is kept any more."""

        async def check() -> bool:
            kept = (await self.metrics())["forebay_outfeed_store_messages"]
            assert kept == 0, f"{kept} bodies are kept"
            return True

        await eventually(check, within=within)

    def log_text(self) -> str:
        return self._plan.log.read_text()

    def logged(self, event: str) -> list[dict[str, Any]]:
        """Entries of the log about an event."""
        # The last line may be half written.
        entries = (json.loads(line) for line in self.log_text().splitlines() if line.endswith("}"))
        return [entry for entry in entries if entry["event"] == event]

    def _url(self, page: str) -> str:
        return f"http://127.0.0.1:{self._plan.http_port}/{page}"


async def requests(articles: Sequence[Article], batch: int) -> AsyncIterator[pb.OfferRequest]:
    for first in range(0, len(articles), batch):
        contents = [pb.Article(content=article.content) for article in articles[first : first + batch]]
        yield pb.OfferRequest(first=first, articles=contents)


async def scrape(http: aiohttp.ClientSession, url: str) -> str:
    async with http.get(url) as response:
        return await response.text()


def accounts(metrics: str) -> Accounts:
    """The columns of each peer from the text of /metrics, read many times a second."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for column, peer, value in COLUMN.findall(metrics):
        found[peer][column] += int(float(value))
    return found
