"""What the command line of the bridge means."""

import socket

import pytest

from forebay.cli import conduitbridging
from forebay.cli.conduitbridging import Ways, bridge_of, run_bridge
from forebay.cli.errors import InputError

WAYS = Ways(
    network="plant",
    outward=["/a/*"],
    inward=["/b/**"],
    prefix="site",
    listen="udp/127.0.0.1:0",
    group="",
    interface="0.0.0.0",
    peers=["udp/press:7448"],
    file=None,
    mode="client",
    connect=["tcp/127.0.0.1:1"],
    zenoh_listen=[],
    keys=[],
)


def test_options_become_a_node():
    settings = bridge_of(WAYS._replace(group="udp/239.255.0.1:7447", interface="127.0.0.1")).node.settings
    assert (settings.listen, settings.peers) == ("udp/127.0.0.1:0", ("udp/press:7448",))
    assert (settings.group, settings.interface) == ("udp/239.255.0.1:7447", "127.0.0.1")
    assert bridge_of(WAYS).node.settings.group is None


def test_bridges_of_a_network_know_each_other_by_their_ids():
    one, two, other = (bridge_of(ways).node.peer_id for ways in (WAYS, WAYS, WAYS._replace(network="lab")))
    assert one[:8] == two[:8] != other[:8]
    assert one != two


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"peers": ["press:7448"]}, "peers is 'press:7448': take udp/host:port or tcp/host:port"),
        ({"listen": "tcp/127.0.0.1:0"}, "listen is 'tcp/127.0.0.1:0': take udp/"),
        ({"group": "udp/10.0.0.1:7447"}, "group is 'udp/10.0.0.1:7447': take an address in 224.0.0.0/4"),
    ],
    ids=["peer", "listen", "group"],
)
def test_a_node_that_cannot_be_is_told(change, problem):
    with pytest.raises(InputError, match=problem):
        bridge_of(WAYS._replace(**change))


def test_keys_come_from_files(tmp_path):
    file = tmp_path / "key"
    file.write_bytes(b"sixteen octets--")
    assert bridge_of(WAYS._replace(keys=[f"7={file}"])).node.settings.keys == {7: b"sixteen octets--"}
    file.write_bytes(b"short")
    with pytest.raises(InputError, match="key 7 has 5 octets: take 16 to 64"):
        bridge_of(WAYS._replace(keys=[f"7={file}"]))


@pytest.mark.parametrize("text", ["file", "=file", "one=file"])
def test_a_key_that_is_none_is_told(text):
    with pytest.raises(InputError, match="does not fit") as caught:
        bridge_of(WAYS._replace(keys=[text]))
    assert caught.value.remedy == "Give ID=FILE, as 1=/etc/forebay/key."


async def test_a_port_that_is_taken_is_told_with_the_remedy():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(InputError, match="the node cannot listen: ") as caught:
            await run_bridge(WAYS._replace(listen=f"udp/127.0.0.1:{taken.getsockname()[1]}"))
    assert caught.value.remedy == "Give another --listen."


async def test_without_zenoh_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(conduitbridging, "find_spec", lambda _: None)
    with pytest.raises(InputError) as caught:
        await run_bridge(WAYS)
    assert caught.value.remedy == "Install it with `pip install 'forebay[zenoh]'`."
