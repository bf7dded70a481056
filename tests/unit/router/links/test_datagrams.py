from random import Random

import pytest

from forebay.router.links.datagrams import FRAGMENT_OCTETS, KEPT_MESSAGES, Datagram, Kind, Receiving, Seal, Sending


def test_what_is_sealed_by_our_key_is_opened_and_nothing_else():
    seal = Seal(b"secret")
    datagram = Datagram(Kind.DATA, True, 2**63, 7, 5, 1, 2, b"payload")
    octets = seal.close(datagram)
    assert seal.open(octets) == datagram
    assert Seal(b"other").open(octets) is None
    for place in range(len(octets)):
        assert seal.open(octets[:place] + bytes([octets[place] ^ 1]) + octets[place + 1 :]) is None
    assert seal.open(b"") is None
    assert seal.open(octets[:20]) is None


def test_what_is_sealed_but_no_datagram_is_let_go_of():
    seal = Seal(b"secret")
    for content in (b"XXX" + bytes(27), b"FR1\x09" + bytes(26)):
        assert seal.open(content + seal._mac(content)) is None


def sides():
    return Sending(True, 1, 2), Receiving(True, 1, 2)


@pytest.mark.parametrize("size", [0, 1, FRAGMENT_OCTETS, FRAGMENT_OCTETS + 1, 10 * FRAGMENT_OCTETS])
def test_a_message_arrives_whole(size):
    sending, receiving = sides()
    message = bytes(Random(size).randbytes(size))
    got = []
    for fragment in reversed(sending.split(message)):
        got += receiving.take(fragment, 0.0)
    assert got == [message]


def test_messages_arrive_once_and_in_order():
    sending, receiving = sides()
    first, second = sending.split(b"1"), sending.split(b"2")
    assert receiving.take(second[0], 0.0) == []
    assert receiving.take(second[0], 0.0) == []
    assert receiving.take(first[0], 0.0) == [b"1", b"2"]
    assert receiving.take(first[0], 0.0) == []


def test_what_is_lacking_is_asked_for_and_sent_again():
    sending, receiving = sides()
    first, second = sending.split(b"1" * 3 * FRAGMENT_OCTETS), sending.split(b"2")
    receiving.take(first[1], 0.0)
    assert receiving.lacking(0.01) == []
    [lack] = receiving.lacking(0.06)
    assert receiving.lacking(0.07) == []
    assert [fragment.place for fragment in sending.again(lack)] == [0, 2]
    third = sending.split(b"3")
    receiving.take(third[0], 0.1)
    lacks = receiving.lacking(0.2)
    assert [each.sequence for each in lacks] == [1, 2]
    got = []
    for each in lacks:
        assert (each.kind, each.caller) == (Kind.LACK, False)
        for fragment in sending.again(each):
            got += receiving.take(fragment, 0.2)
    assert [message[:1] for message in got] == [b"1", b"2", b"3"]
    assert second[0].payload == b"2"


def test_what_lacks_for_too_long_is_passed_over():
    sending, receiving = sides()
    sending.split(b"1")
    assert receiving.take(sending.split(b"2")[0], 0.0) == []
    assert receiving.skip(2.9) == []
    assert receiving.skip(3.0) == [b"2"]
    assert receiving.skip(9.0) == []


def test_only_the_latest_messages_are_kept_and_only_so_many_are_waited_for():
    sending, receiving = sides()
    messages = [sending.split(bytes([number]))[0] for number in range(KEPT_MESSAGES + 1)]
    lack = Datagram(Kind.LACK, False, 1, 2, 1)
    assert sending.again(lack) == []
    assert sending.again(lack._replace(sequence=2)) == [messages[1]]
    assert sending.again(lack._replace(sequence=2, payload=b"\xff\xff\0")) == []
    receiving.take(messages[KEPT_MESSAGES], 0.0)
    assert receiving.lacking(1.0) == []
    assert receiving.take(messages[0]._replace(place=3), 0.0) == []


@pytest.mark.parametrize("loss", [0.07, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_over_a_lossy_network_all_arrives_in_order(loss, seed):
    random = Random(seed)
    sending, receiving = sides()
    messages = [random.randbytes(random.randrange(20_000)) for _ in range(30)]
    wire, got, now = [], [], 0.0
    for message in messages:
        wire += sending.split(message)
    wire += sending.split(b"end")
    while len(got) < 30:
        now += 0.06
        random.shuffle(wire)
        for fragment in wire:
            if random.random() > loss:
                got += receiving.take(fragment, now)
        wire = [again for lack in receiving.lacking(now) if random.random() > loss for again in sending.again(lack)]
        assert now < 60
    assert got[:30] == messages
