import socket

import pytest

from forebay.announcer.fronts.datagrams import AT_ONCE, ROOM, Datagrams


@pytest.fixture
def bound():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.bind(("127.0.0.1", 0))
        made.setblocking(False)
        yield made


@pytest.fixture
def client(bound):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.settimeout(30)
        made.connect(bound.getsockname())
        yield made


def test_none_has_come(bound):
    assert Datagrams(bound).receive() == []


def test_many_are_received_in_their_order_and_answered_where_they_came_from(bound, client):
    datagrams = Datagrams(bound)
    for number in range(AT_ONCE + 1):
        client.send(b"%d" % number)
    received = datagrams.receive()
    assert [octets for _, octets, _ in received] == [b"%d" % number for number in range(AT_ONCE)]
    assert {address for _, _, address in received} == {bytes([127, 0, 0, 1])}
    assert datagrams.answer([(place, b"re " + octets) for place, octets, _ in received[::2]]) == 0
    assert [client.recv(ROOM) for _ in received[::2]] == [b"re %d" % number for number in range(0, AT_ONCE, 2)]
    assert [octets for _, octets, _ in datagrams.receive()] == [b"%d" % AT_ONCE]


def test_each_client_has_its_answer(bound, client):
    datagrams = Datagrams(bound)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.settimeout(30)
        other.bind(("127.0.0.2", 0))
        other.connect(bound.getsockname())
        client.send(b"one")
        other.send(b"two")
        received = datagrams.receive()
        assert [address[3] for _, _, address in received] == [1, 2]
        datagrams.answer([(place, octets) for place, octets, _ in reversed(received)])
        assert (client.recv(ROOM), other.recv(ROOM)) == (b"one", b"two")


def test_lengths_are_those_of_the_octets_that_came(bound, client):
    datagrams = Datagrams(bound)
    sent = [b"", b"x" * ROOM, b"y" * 5000, b"z"]
    for octets in sent:
        client.send(octets)
    assert [octets for _, octets, _ in datagrams.receive()] == [octets[:ROOM] for octets in sent]


def test_answers_that_are_too_long_or_that_the_system_does_not_take_are_passed_over(bound, client):
    datagrams = Datagrams(bound)
    for octets in (b"long", b"bad", b"good"):
        client.send(octets)
    places = [place for place, _, _ in datagrams.receive()]
    datagrams._names[places[1] * 28 + 2 : places[1] * 28 + 4] = bytes(2)  # nothing can be sent to port 0
    answers = zip(places, (bytes(ROOM + 1), b"bad", b"good"), strict=True)
    assert datagrams.answer(list(answers)) == 2
    assert client.recv(ROOM) == b"good"


@pytest.mark.parametrize(("host", "address"), [("::1", bytes(15) + b"\1"), ("127.0.0.1", bytes([127, 0, 0, 1]))])
def test_a_socket_of_both_families_tells_addresses_as_they_are(host, address):
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as bound:
        bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        bound.bind(("::", 0))
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as client:
            client.settimeout(30)
            client.connect((host, bound.getsockname()[1]))
            client.send(b"hello")
            datagrams = Datagrams(bound)
            ((place, octets, told),) = datagrams.receive()
            assert (octets, told) == (b"hello", address)
            datagrams.answer([(place, b"welcome")])
            assert client.recv(ROOM) == b"welcome"
