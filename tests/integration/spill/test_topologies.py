"""A cluster, Sentinels, TLS and an ACL user."""

import asyncio
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from cryptography import x509

from authority import Authority
from eventually import eventually
from forebay.spill import (
    Change,
    Kind,
    LeaseLostError,
    Spill,
    SpillCheckError,
    SpillSettingsError,
    SpillUnavailableError,
    Spool,
    StateEvent,
    TlsFiles,
)
from forebay.spill.keys import OwnerKeys, registry_key, slot_of
from integration.spill.conftest import QUICK, connect, contents, drain
from peers.valkey import Cluster, Valkey, run_cluster, run_sentinels, run_valkey

OWNERS = [f"peer {number}" for number in range(12)]


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with run_cluster() as nodes:
        yield nodes


async def loaded(spill: Spill, owner: str = "peer") -> Spool:
    spool = spill.spool(owner, QUICK)
    await spool.load()
    return spool


async def test_owners_spread_over_a_cluster(cluster: Cluster) -> None:
    async with connect(cluster.url) as spill:
        spools = [await loaded(spill, owner) for owner in OWNERS]
        handles = [await spool.append(Kind.BACKLOG, [spool.owner.encode() * 20, b"b"]) for spool in spools]
        await asyncio.gather(*(handle.wait() for handle in handles))
        assert await spill.owners() == sorted(OWNERS)
        for spool in spools:
            assert await drain(spool) == [spool.owner.encode() * 20, b"b"]
    assert all([await node.command("DBSIZE") for node in cluster.masters])


async def test_a_slot_that_moved_is_followed(cluster: Cluster) -> None:
    slot = OwnerKeys("outfeed", "uid", "peer").slot
    async with connect(cluster.url) as spill:
        spool = await loaded(spill)
        await spool.append(Kind.BACKLOG, [b"a"])
        source = await cluster.owner(slot)
        target = next(node for node in cluster.masters if node is not source)
        await cluster.move_slot(slot, target)
        with pytest.raises(LeaseLostError):
            await spool.append(Kind.BACKLOG, [b"b"])
        assert not (await spool.load()).fresh
        await (await spool.append(Kind.BACKLOG, [b"b"])).wait()
        assert await drain(spool) == [b"a", b"b"]
    assert await target.command("CLUSTER", "COUNTKEYSINSLOT", slot) > 0


async def test_writing_and_draining_over_moves_of_the_slot_lose_nothing(cluster: Cluster, scale: int) -> None:
    slot = OwnerKeys("outfeed", "uid", "peer").slot
    async with connect(cluster.url) as spill:
        spool = await loaded(spill)
        moving = asyncio.create_task(move_about(cluster, slot, 3 * scale))
        taken, drained, number = set(), set(), 0
        while not moving.done():
            entries = [b"%06d" % (number + place) for place in range(50)]
            number += len(entries)
            try:
                await spool.append(Kind.BACKLOG, entries)
                taken |= set(entries)
                await spool.promote(0)
                found = await spool.read(40)
                spool.ack([entry.id for entry in found])
                drained |= {entry.data for entry in found}
            except (SpillUnavailableError, LeaseLostError):
                await eventually(lambda: spool_is_back(spool))
        await moving
        await eventually(lambda: spool_is_back(spool))
        drained |= set(await drain(spool, 1000))
        assert taken
        assert taken <= drained
        assert spill.metrics.leases_lost


async def move_about(cluster: Cluster, slot: int, times: int) -> None:
    for number in range(times):
        await asyncio.sleep(0.3)
        source = await cluster.owner(slot)
        others = [node for node in cluster.masters if node is not source]
        await cluster.move_slot(slot, others[number % 2])


async def test_an_owner_whose_slot_is_on_the_move_has_to_wait(cluster: Cluster) -> None:
    await start_move(cluster, OwnerKeys("outfeed", "uid", "peer").slot)
    async with connect(cluster.url) as spill:
        with pytest.raises(SpillUnavailableError, match="on the move"):
            await spill.spool("peer").load()


async def test_a_registry_on_the_move_is_followed_by_asking(cluster: Cluster) -> None:
    slot = slot_of(registry_key("outfeed", "uid"))
    target = await start_move(cluster, slot)
    async with connect(cluster.url) as spill:
        await loaded(spill)
        assert await spill.owners() == ["peer"]
    assert await target.command("CLUSTER", "COUNTKEYSINSLOT", slot) == 1


async def start_move(cluster: Cluster, slot: int) -> Valkey:
    """Say that a slot moves to the server that is returned; nothing is there yet."""
    source = await cluster.owner(slot)
    target = next(node for node in cluster.masters if node is not source)
    source_id, target_id = [(await node.command("CLUSTER", "MYID")).decode() for node in (source, target)]
    await target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", source_id)
    await source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", target_id)
    return target


async def test_the_promoted_replica_of_a_lost_master_takes_over() -> None:
    slot = OwnerKeys("outfeed", "uid", "peer").slot
    async with run_cluster(masters=3, replicas=3) as cluster, connect(cluster.url) as spill:
        events: list[StateEvent] = []
        spill.on_state(events.append)
        spool = await loaded(spill)
        await spool.append(Kind.BACKLOG, [b"a"])
        master = await cluster.owner(slot)
        await master.command("WAIT", 1, 5000)
        replica = cluster.replicas[cluster.masters.index(master)]
        await eventually(lambda: has_keys(replica))
        await master.kill()
        await eventually(lambda: spool_is_back(spool))
        assert await drain(spool) == [b"a"]
    assert Change.RESTARTED in [event.change for event in events]


async def has_keys(server: Valkey) -> bool:
    return bool(await server.command("DBSIZE"))


async def spool_is_back(spool: Spool) -> bool:
    try:
        await spool.load()
    except (SpillUnavailableError, LeaseLostError):
        return False
    return True


async def test_a_single_server_is_no_cluster() -> None:
    async with run_valkey() as valkey:
        url = valkey.url.replace("redis://", "redis+cluster://")
        async with connect(url, ready=False) as spill:
            with pytest.raises(SpillCheckError, match="give a URL of the form redis://"):
                await asyncio.wait_for(spill.ready(), 20)


async def test_the_master_that_sentinels_name_is_used_and_its_successor_followed() -> None:
    async with run_sentinels() as sentinels, connect(sentinels.url) as spill:
        events: list[StateEvent] = []
        spill.on_state(events.append)
        spool = await loaded(spill)
        await spool.append(Kind.BACKLOG, [b"a"])
        await eventually(lambda: has_keys(sentinels.replica))
        await sentinels.master.kill()
        await eventually(lambda: Change.RESTARTED in [event.change for event in events])
        await eventually(lambda: spool_is_back(spool))
        await spool.append(Kind.BACKLOG, [b"b"])
        assert await drain(spool) == [b"a", b"b"]
        assert str(sentinels.replica.port) in events[-1].server


async def test_a_master_that_hangs_is_left_for_its_successor() -> None:
    async with (
        run_sentinels() as sentinels,
        connect(sentinels.url, answer_timeout=0.5, connect_timeout=0.5) as spill,
    ):
        spool = await loaded(spill)
        await spool.append(Kind.BACKLOG, [b"a"])
        await eventually(lambda: has_keys(sentinels.replica))
        sentinels.master.freeze()
        with pytest.raises(SpillUnavailableError, match="did not answer within"):
            await spool.append(Kind.BACKLOG, [b"b"])
        await eventually(lambda: spool_is_back(spool))
        sentinels.master.thaw()
        assert await drain(spool) == [b"a"]


@asynccontextmanager
async def tls_front(port: int, folder: Path) -> AsyncIterator[int]:
    """Ends TLS, with certificates of both sides, in front of a server (the wheel's is built without); its port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "tls.crt", folder / "tls.key")
    context.load_verify_locations(folder / "ca.crt")
    context.verify_mode = ssl.CERT_REQUIRED

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(copy(reader, inner_writer), copy(inner_reader, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def test_tls_with_certificates_of_both_sides(tmp_path: Path) -> None:
    folder = Authority().write(tmp_path / "tls", "redis", x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    files = TlsFiles(str(folder / "ca.crt"), str(folder / "tls.crt"), str(folder / "tls.key"))
    async with (
        run_valkey() as valkey,
        tls_front(valkey.port, folder) as port,
        connect(f"rediss://127.0.0.1:{port}", tls=files) as spill,
    ):
        spool = await loaded(spill)
        await (await spool.append(Kind.BACKLOG, [b"x" * 1000] * 1000)).wait()
        assert len(await drain(spool, 1000)) == 1000


async def test_a_server_with_a_foreign_certificate_is_not_used(tmp_path: Path) -> None:
    folder = Authority().write(tmp_path / "tls", "redis", x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    (tmp_path / "other.crt").write_bytes(Authority("other").pem)
    files = TlsFiles(str(tmp_path / "other.crt"), str(folder / "tls.crt"), str(folder / "tls.key"))
    async with (
        run_valkey() as valkey,
        tls_front(valkey.port, folder) as port,
        connect(f"rediss://127.0.0.1:{port}", ready=False, tls=files) as spill,
    ):
        with pytest.raises(SpillUnavailableError, match="certificate verify failed"):
            await eventually(lambda: refused(spill))


async def refused(spill: Spill) -> bool:
    try:
        await spill.owners()
    except SpillUnavailableError as error:
        if "not connected to Redis yet" in str(error):
            return False
        raise
    return True


COMMANDS = (
    "info eval evalsha asking time waitaof exists del unlink rename set hget hset hmget hdel hincrby hgetall"
    " xadd xrange xdel xtrim xlen sadd srem smembers"
)


async def test_an_acl_user_needs_these_commands_on_our_keys_only() -> None:
    async with run_valkey() as valkey:
        allowed = [f"+{command}" for command in COMMANDS.split()]
        await valkey.command("ACL", "SETUSER", "feeder", "on", ">p@ss", "resetkeys", "~forebay:*", "-@all", *allowed)
        async with connect(valkey.url.replace("//", "//feeder:p%40ss@")) as spill:
            spool = await loaded(spill)
            await (await spool.append(Kind.BACKLOG, [b"a"])).wait()
            assert (await contents(spool))[Kind.BACKLOG] == [b"a"]
            assert await drain(spool) == [b"a"]
            await spool.purge()


async def test_a_user_without_rights_is_told_what_it_lacks() -> None:
    async with run_valkey() as valkey:
        await valkey.command("ACL", "SETUSER", "weak", "on", ">secret", "~forebay:*", "-@all", "+info", "+waitaof")
        async with connect(valkey.url.replace("//", "//weak:secret@")) as spill:
            with pytest.raises(SpillCheckError, match="acl"):
                await spill.spool("peer").load()


async def test_a_user_that_may_not_wait_for_the_log_is_refused_at_once() -> None:
    async with run_valkey() as valkey:
        await valkey.command("ACL", "SETUSER", "hasty", "on", ">secret", "~forebay:*", "+@all", "-waitaof")
        async with connect(valkey.url.replace("//", "//hasty:secret@"), ready=False) as spill:
            with pytest.raises(SpillCheckError, match=r"acl is .*waitaof"):
                await asyncio.wait_for(spill.ready(), 20)


async def test_a_wrong_password_is_told_without_showing_it() -> None:
    async with run_valkey() as valkey:
        await valkey.command("ACL", "SETUSER", "feeder", "on", ">right")
        async with connect(valkey.url.replace("//", "//feeder:hunter2@"), ready=False) as spill:
            with pytest.raises(SpillCheckError, match="user is 'feeder': Redis refuses it") as caught:
                await spill.ready()
            assert "hunter2" not in str(caught.value)


async def set_password(nodes: list[Valkey], password: str) -> None:
    for node in nodes:
        await node.command("ACL", "SETUSER", "feeder", "on", "resetpass", f">{password}", "~*", "+@all")


def with_password(url: str, password: str) -> str:
    return url.replace("//", f"//feeder:{password}@")


@pytest.mark.parametrize("masters", [1, 3])
async def test_a_new_password_is_used_from_the_next_connection_on(masters: int) -> None:
    async with run_cluster() if masters > 1 else run_valkey() as servers:
        nodes = servers.masters if isinstance(servers, Cluster) else [servers]
        await set_password(nodes, "old")
        async with connect(with_password(servers.url, "old")) as spill:
            spool = await loaded(spill)
            await set_password(nodes, "new")
            spill.authenticate(with_password(servers.url, "new"))
            await spool.append(Kind.BACKLOG, [b"over the old connection"])
            for node in nodes:
                await node.command("CLIENT", "KILL", "USER", "feeder")
            await eventually(lambda: spill.metrics.reconnects >= masters and spill.available)
            assert spill.problem == ""
            await spool.append(Kind.BACKLOG, [b"over a new one"])
            assert await drain(spool) == [b"over the old connection", b"over a new one"]


async def test_credentials_of_another_place_are_refused() -> None:
    async with run_valkey() as valkey, connect(valkey.url) as spill:
        with pytest.raises(SpillSettingsError, match="another place"):
            spill.authenticate(f"{valkey.url}/1")
