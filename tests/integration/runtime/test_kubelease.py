"""The Kubernetes lease, against a stand-in that enforces resourceVersion. The operator's tests have the real one."""

from random import Random

import pytest

from fakeclock import FakeClock
from forebay.runtime import KubeApi, KubeLease, Lease, LeaseError, SettingsError, in_cluster
from forebay.runtime.lease import Standing
from kubestandin import TOKEN, KubeStandIn


@pytest.fixture
async def server():
    server = KubeStandIn()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
def account(tmp_path):
    (tmp_path / "token").write_text(TOKEN + "\n")
    (tmp_path / "namespace").write_text("news")
    return tmp_path


@pytest.fixture
async def api(server, account):
    async with KubeApi(f"http://127.0.0.1:{server.port}", account) as api:
        yield api


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def lease(api, clock):
    """A record of the same Lease, as each pod has its own."""
    return lambda: KubeLease(api, api.namespace, "store-a", clock)


def spec(server):
    return server.objects["store-a"]["spec"]


async def test_a_lease_is_created_by_its_first_holder(server, lease):
    assert await lease().take("pod-1", 15) == 1
    assert spec(server)["holderIdentity"] == "pod-1"
    assert spec(server)["leaseDurationSeconds"] == 15
    assert spec(server)["acquireTime"] == "2023-11-14T22:13:20.000000Z"
    assert await lease().holder() == "pod-1"


async def test_another_gets_it_only_after_seeing_it_unchanged_for_its_duration(server, lease, clock):
    mine, other = lease(), lease()
    await mine.take("pod-1", 15)
    assert await other.take("pod-2", 15) is None
    clock.advance(14)
    await mine.renew("pod-1", 15)
    assert await other.take("pod-2", 15) is None
    clock.advance(15)
    assert await other.take("pod-2", 15) is None
    clock.advance(0.1)
    assert await other.take("pod-2", 15) == 2
    assert not await mine.renew("pod-1", 15)


async def test_the_times_written_in_it_decide_nothing(server, lease, clock):
    await lease().take("pod-1", 15)
    server.edit("store-a", renewTime="1999-01-01T00:00:00.000000Z")
    assert await lease().take("pod-2", 15) is None
    clock.set_wall(4e9)
    assert await lease().take("pod-2", 15) is None


async def test_a_released_lease_is_free_at_once(server, lease):
    mine = lease()
    await mine.take("pod-1", 15)
    await mine.release("pod-1")
    assert await mine.holder() == ""
    assert await lease().take("pod-2", 15) == 2


async def test_releasing_anothers_lease_does_nothing(server, lease):
    await lease().take("pod-1", 15)
    await lease().release("pod-2")
    assert await lease().holder() == "pod-1"


async def test_of_two_that_take_it_at_once_one_gets_it(server, lease):
    await lease().take("pod-0", 15)
    await lease().release("pod-0")
    server.before_put = lambda: server.edit("store-a", holderIdentity="pod-2", leaseTransitions=2)
    assert await lease().take("pod-1", 15) is None
    assert await lease().holder() == "pod-2"


async def test_of_two_that_create_it_at_once_one_gets_it(server, lease):
    server.before_post = lambda: server.create("store-a", "pod-2")
    assert await lease().take("pod-1", 15) is None
    assert await lease().holder() == "pod-2"


async def test_a_renewal_keeps_what_others_changed_meanwhile(server, lease):
    mine = lease()
    await mine.take("pod-1", 15)

    def annotate():
        server.objects["store-a"]["metadata"]["annotations"] = {"forebay.dev/mirrors": "2"}
        server.edit("store-a")

    server.before_put = annotate
    assert await mine.renew("pod-1", 15)
    assert server.objects["store-a"]["metadata"]["annotations"] == {"forebay.dev/mirrors": "2"}


async def test_a_deleted_lease_is_lost(server, lease):
    mine = lease()
    await mine.take("pod-1", 15)
    server.objects.clear()
    assert not await mine.renew("pod-1", 15)


async def test_a_lease_that_another_program_wrote_is_taken_over(server, lease):
    await lease().take("pod-1", 15)
    server.edit("store-a", holderIdentity=None)
    del server.objects["store-a"]["spec"]["leaseTransitions"]
    assert await lease().take("pod-2", 15) == 1


async def test_parts_of_a_second_are_rounded_up(server, lease):
    await lease().take("pod-1", 1.5)
    assert spec(server)["leaseDurationSeconds"] == 2


async def test_a_broken_api_is_an_error_and_no_answer(server, lease):
    server.broken = True
    with pytest.raises(LeaseError, match=r"Kubernetes API, GET .*store-a"):
        await lease().take("pod-1", 15)


async def test_missing_rights_are_named(server, lease):
    server.forbidden = True
    with pytest.raises(LeaseError, match="answered 403 leases is forbidden; the service account needs get, create"):
        await lease().take("pod-1", 15)


async def test_a_renewed_token_is_used_at_once(server, lease, account):
    (account / "token").write_text("expired")
    with pytest.raises(LeaseError, match="answered 401"):
        await lease().holder()
    (account / "token").write_text(TOKEN)
    assert await lease().holder() == ""


async def test_an_api_that_is_away_is_an_error(server, account, clock):
    await server.runner.cleanup()
    async with KubeApi(f"http://127.0.0.1:{server.port}", account) as api:
        with pytest.raises(LeaseError, match="Connect"):
            await KubeLease(api, "news", "store-a", clock).holder()


async def test_a_holder_acquires_and_loses_it(server, lease, clock):
    mine = Lease(lease(), "pod-1", clock, Random(1))
    assert await mine.acquire() == 1
    assert mine.held
    server.edit("store-a", holderIdentity="pod-2")
    await clock.run(2)
    await mine.lost.wait()
    assert not mine.held
    await mine.release()
    assert await lease().holder() == "pod-2"


def test_outside_of_a_cluster_the_remedy_is_told(monkeypatch):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(SettingsError, match="use a lock file"):
        in_cluster()


async def test_a_lease_that_ran_out_is_left_to_others_for_a_while(lease, clock):
    mine, other = lease(), lease()
    await mine.take("pod-1", 15)
    assert await other.take("pod-2", 15, 2) is None
    clock.advance(16)
    assert await other.take("pod-2", 15, 2) is None
    clock.advance(2)
    assert await other.take("pod-2", 15, 2) == 2


async def test_a_lease_that_was_given_back_is_left_to_others_for_a_while(lease, clock):
    mine, other = lease(), lease()
    await mine.take("pod-1", 15)
    await mine.release("pod-1")
    assert await other.take("pod-2", 15, 2) is None
    clock.advance(2)
    assert await other.take("pod-2", 15, 2) == 2


async def test_a_note_stays_over_renewals_and_holders(lease):
    mine, other = lease(), lease()
    await mine.take("pod-1", 15)
    assert await mine.write_note("pod-1", "a,b")
    assert await mine.renew("pod-1", 15)
    await mine.release("pod-1")
    await other.take("pod-2", 15)
    assert await other.standing() == Standing("pod-2", 2, "a,b")


async def test_only_the_holder_writes_a_note(lease):
    mine, other = lease(), lease()
    await mine.take("pod-1", 15)
    assert not await other.write_note("pod-2", "b")
    assert (await mine.standing()).note == ""


async def test_a_note_is_written_over_what_was_changed_meanwhile(server, lease):
    mine = lease()
    await mine.take("pod-1", 15)
    server.before_put = lambda: server.edit("store-a", leaseDurationSeconds=15)
    assert await mine.write_note("pod-1", "a")
    assert (await mine.standing()).note == "a"


async def test_nothing_stands_in_a_lease_that_nobody_made(lease):
    assert await lease().standing() == Standing()
    assert not await lease().write_note("pod-1", "a")
