"""The client of AnnouncerService, over calls that a test answers."""

import pytest

from forebay.client.announcer import PAGE, TIMEOUT, AnnouncerClient
from forebay.pb.announcer.v1 import announcer_pb2 as pb
from forebay.runtime import AddressError
from forwardings import octets


class Service:
    """Answers each call, and keeps the requests."""

    def __init__(self):
        self.answers = {}
        self.requests = []

    def __getattr__(self, name):
        async def call(request, **options):
            assert options == {"timeout": TIMEOUT}
            kept = type(request)()
            kept.CopyFrom(request)
            self.requests.append(kept)
            return self.answers[name].pop(0)

        return call


@pytest.fixture
def service(monkeypatch):
    service = Service()
    monkeypatch.setattr(AnnouncerClient, "_stub", lambda _: service)
    return service


@pytest.fixture
async def client(service):
    async with AnnouncerClient.connect("127.0.0.1:1") as client:
        yield client


async def test_announces_are_answered_in_their_order(client, service):
    service.answers["Announce"] = [pb.AnnounceResponse(answers=[{"interval": 1}, {"failure": "no"}])]
    first, second = await client.announce([pb.ClientAnnounce(port=1), pb.ClientAnnounce(port=2)])
    assert (first.interval, second.failure) == (1, "no")
    assert [each.port for each in service.requests[0].announces] == [1, 2]


async def test_sizes_of_swarms(client, service):
    service.answers["Scrape"] = [pb.ScrapeResponse(swarms=[{"complete": 3}])]
    assert [swarm.complete for swarm in await client.scrape(octets("a"))] == [3]
    assert list(service.requests[0].info_hashes) == [octets("a")]


async def test_forwarders_and_enabling_one(client, service):
    service.answers["ListForwarders"] = [pb.ListForwardersResponse(forwarders=[{"name": "a"}, {"name": "b"}])]
    service.answers["EnableForwarder"] = [pb.EnableForwarderResponse(forwarder={"name": "b"})]
    assert [each.name for each in await client.forwarders()] == ["a", "b"]
    assert (await client.enable("b")).name == "b"
    assert service.requests[1].name == "b"


async def test_the_queue(client, service):
    service.answers["GetQueue"] = [pb.GetQueueResponse(depth=7)]
    assert (await client.queue()).depth == 7


async def test_swarms_are_fetched_by_pages(client, service):
    names = [octets(name) for name in "abc"]
    service.answers["ListSwarms"] = [
        pb.ListSwarmsResponse(swarms=[{"info_hash": name} for name in names[:2]], next_page_token="b"),
        pb.ListSwarmsResponse(swarms=[{"info_hash": names[2]}]),
    ]
    assert [swarm.info_hash async for swarm in client.swarms()] == names
    assert [(each.page_size, each.page_token) for each in service.requests] == [(PAGE, ""), (PAGE, "b")]


async def test_no_more_pages_are_fetched_than_are_read(client, service):
    page = pb.ListSwarmsResponse(swarms=[{"info_hash": octets("a")}], next_page_token="a")
    service.answers["ListSwarms"] = [page]
    async for swarm in client.swarms():
        assert swarm.info_hash == octets("a")
        break
    assert len(service.requests) == 1


async def test_what_is_no_address_is_told():
    with pytest.raises(AddressError):
        AnnouncerClient.connect("nowhere")
