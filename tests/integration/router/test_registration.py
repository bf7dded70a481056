"""Who may have which name."""

from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from eventually import eventually
from forebay.client.channels import open_channel, service_errors
from forebay.client.router import BadNameError, Process, ProcessSettings, RegistrationError, ThreadEndedError
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.pb.router.v1.router_pb2_grpc import RouterServiceStub
from forebay.router.settings import NameRule, RouterSettings
from forebay.runtime import InvalidArgumentError, ResourceExhaustedError, UnavailableError
from ports import free_port
from routers import running_router
from threads import Inbox


async def test_a_name_that_is_taken_is_refused_and_there_is_an_alarm(router, attach):
    await (await attach("one")).thread("bob")
    two = await attach("two")
    with pytest.raises(RegistrationError, match="bob@local runs in process one at router router-0") as caught:
        await two.thread("bob")
    assert caught.value.state == pb.REGISTRATION_STATE_TAKEN
    [alarm] = router.switch.alarms.raised()
    assert (alarm.name, alarm.origin) == ("skal-conflict-duplicate-thread", "bob@local")
    assert "bob" not in two.threads
    await two.thread("carol")


async def test_a_name_that_the_process_has_itself_is_refused(attach):
    one = await attach("one")
    await one.thread("bob")
    with pytest.raises(RegistrationError, match="process one has a thread bob already"):
        await one.thread("bob")


async def test_names_are_checked_before_the_router_is_asked(attach):
    one = await attach("one")
    with pytest.raises(BadNameError, match="begins with skal"):
        await one.thread("skal-master")


async def test_a_process_may_only_use_names_that_it_is_allowed():
    rules = [NameRule("*", ["public-*"]), NameRule("someone", ["*"])]
    settings = RouterSettings(grace=0.0, names=rules)
    async with running_router(settings) as router, Process.connect(router.address, "one") as one:
        await one.thread("public-a")
        with pytest.raises(RegistrationError, match="may not use the name private: add a rule") as caught:
            await one.thread("private")
        assert caught.value.state == pb.REGISTRATION_STATE_DENIED


async def test_a_domain_takes_no_more_threads_than_it_may():
    settings = RouterSettings(grace=0.0, most_threads=1)
    async with running_router(settings) as router, Process.connect(router.address, "one") as one:
        await one.thread("bob")
        with pytest.raises(RegistrationError, match="the domain has 1 threads"):
            await one.thread("carol")


async def test_a_router_takes_no_more_processes_than_it_may():
    settings = RouterSettings(grace=0.0, most_processes=1)
    async with running_router(settings) as router, Process.connect(router.address, "one"):
        with pytest.raises(ResourceExhaustedError, match="as many as may be"):
            async with Process.connect(router.address, "two", settings=ProcessSettings(patience=0.0)):
                pass


async def test_without_a_router_a_process_does_not_begin():
    with pytest.raises(UnavailableError):
        async with Process.connect(f"127.0.0.1:{free_port()}", "one", settings=ProcessSettings(patience=0.1)):
            pass


async def test_a_process_that_has_ended_begins_no_thread(router):
    async with Process.connect(router.address, "one") as one:
        pass
    with pytest.raises(ThreadEndedError, match="process one has ended"):
        await one.thread("bob")


async def test_the_router_checks_names_too(router):
    async with _attached(router, "one") as call:
        await call.write(pb.AttachRequest(births=[pb.Birth(name="skald", incarnation=1)]))
        [registration] = (await call.read()).registrations
        assert registration.state == pb.REGISTRATION_STATE_INVALID
        assert "begins with skal" in registration.problem


async def test_a_process_cannot_speak_for_the_threads_of_others(router, attach):
    inbox, told = Inbox(), Inbox()
    one = await attach("one")
    await one.thread("bob", inbox)
    await one.thread("alice", on_event=told.on_event)
    async with _attached(router, "two") as call:
        parcel = pb.Parcel(sender="alice@local", recipient="bob@local", first=1, count=1, ttl=4)
        signal = pb.Signal(sender="bob@local", recipient="alice@local", kind=pb.SIGNAL_KIND_XOFF, ttl=4)
        receipt = pb.Receipt(sender="alice@local", recipient="bob@local", first=1, count=1, outcome=1, ttl=4)
        await call.write(pb.AttachRequest(freight=pb.Freight(parcels=[parcel], signals=[signal], receipts=[receipt])))
        [alarm] = await eventually(router.switch.alarms.raised)
        assert (alarm.name, alarm.origin) == ("skal-protocol-wrong-sender", "two@local")
        assert router.switch.messages == 0


@pytest.mark.parametrize(
    ("opening", "problem"),
    [
        pytest.param(pb.AttachRequest(), "hello is missing", id="no hello"),
        pytest.param(pb.AttachRequest(hello=pb.Hello(process="a b")), "is no name of a process", id="bad name"),
    ],
)
async def test_an_attachment_has_to_begin_as_it_should(router, opening, problem):
    channel = open_channel(router.address)
    try:
        call = RouterServiceStub(channel.get()).Attach()
        await call.write(opening)
        with pytest.raises(InvalidArgumentError, match=problem), service_errors():
            await call.read()
    finally:
        await channel.close()


async def test_a_process_that_attaches_again_takes_the_place_of_its_former_attachment(router):
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(_attached(router, "two", incarnation=7))
        await first.write(pb.AttachRequest(births=[pb.Birth(name="bob", incarnation=5)]))
        await first.read()
        second = await stack.enter_async_context(_attached(router, "two", incarnation=7))
        await second.write(pb.AttachRequest(births=[pb.Birth(name="bob", incarnation=5)]))
        [registration] = (await second.read()).registrations
        assert registration.state == pb.REGISTRATION_STATE_REGISTERED
        assert len(router.switch.registry) == 1
        assert router.switch.alarms.raised() == []


@asynccontextmanager
async def _attached(router, name, incarnation=1):
    """A bare Attach stream, begun."""
    channel = open_channel(router.address)
    call = RouterServiceStub(channel.get()).Attach()
    try:
        await call.write(pb.AttachRequest(hello=pb.Hello(process=name, incarnation=incarnation)))
        assert (await call.read()).welcome.domain == "local"
        yield call
    finally:
        call.cancel()
        await channel.close()
