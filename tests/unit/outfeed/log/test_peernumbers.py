import pytest

from forebay.msgstore.errors import FormatError
from forebay.outfeed.errors import OutfeedError
from forebay.outfeed.log.peernumbers import MAX_PEERS, NAME, PeerNumbers
from powerloss import PowerLossDisk


def test_numbers_are_small_and_stable_over_a_power_loss():
    disk = PowerLossDisk()
    peers = PeerNumbers.open(disk)
    assert [peers.add(uid) for uid in ("x", "y", "x")] == [0, 1, 0]
    assert PeerNumbers.open(disk.after_power_loss()).items() == {"x": 0, "y": 1}


def test_a_freed_number_is_given_again():
    peers = PeerNumbers.open(PowerLossDisk())
    for uid in ("x", "y", "z"):
        peers.add(uid)
    peers.remove("y")
    assert "y" not in peers
    assert peers.add("new") == 1


@pytest.mark.parametrize("content", [b"", b"[]", b'{"version": 1}', b'{"version": 1, "peers": {"x": "?"}}'])
def test_a_damaged_file_is_refused(content: bytes):
    disk = PowerLossDisk()
    disk.create(NAME).append([content])
    with pytest.raises(FormatError, match=r"peers\.json is damaged"):
        PeerNumbers.open(disk)


def test_a_newer_version_is_refused():
    disk = PowerLossDisk()
    disk.create(NAME).append([b'{"version": 2, "peers": {}}'])
    with pytest.raises(FormatError, match="version 2"):
        PeerNumbers.open(disk)


def test_more_peers_than_a_record_has_bits_for_are_refused():
    peers = PeerNumbers(PowerLossDisk(), {str(number): number for number in range(MAX_PEERS)})
    with pytest.raises(OutfeedError, match="remove one first"):
        peers.add("one more")


def test_many_get_their_numbers_at_once_as_long_as_there_are_any():
    disk = PowerLossDisk()
    peers = PeerNumbers.open(disk)
    peers.add("b")
    peers.add_all(["a", "b", *(str(number) for number in range(MAX_PEERS))])
    assert (peers["b"], peers["a"], peers["0"]) == (0, 1, 2)
    assert len(peers) == MAX_PEERS
    assert str(MAX_PEERS - 1) not in peers
    assert PeerNumbers.open(disk.after_power_loss()).items() == peers.items()
