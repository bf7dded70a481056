import pytest

from forebay.client import ProtocolError, PublishSettings
from forebay.client.publishwindow import PublishWindow
from forebay.client.store import make_message
from forebay.pb.store.v1 import store_pb2 as pb

SETTINGS = PublishSettings(batch_messages=3, batch_octets=1000, window_messages=10, window_octets=5000)


def messages(*bodies):
    return [make_message("a", body) for body in bodies]


def confirmed(first, count, outcome=pb.OUTCOME_CONFIRMED):
    return pb.Confirm(first=first, count=count, outcome=outcome)


def bodies(request):
    return [message.body for message in request.messages]


def taken(window):
    """All requests that are ready, as their first numbers and bodies."""
    found = []
    while window.ready:
        request = pb.PublishRequest.FromString(window.take())
        found.append((request.first, bodies(request)))
    return found


@pytest.fixture
def window():
    return PublishWindow(SETTINGS)


def test_what_has_gathered_is_cut_into_requests(window):
    assert window.add(messages(b"1", b"2")) == 2
    assert window.add(messages(b"3", b"4")) == 4
    assert taken(window) == [(1, [b"1", b"2", b"3"]), (4, [b"4"])]


def test_numbers_begin_where_one_says():
    window = PublishWindow(SETTINGS, first=70)
    assert window.add(messages(b"1")) == 70
    assert taken(window) == [(70, [b"1"])]


def test_a_request_ends_before_it_is_too_large(window):
    window.add(messages(b"1" * 600, b"2" * 300, b"3" * 600))
    assert [(first, len(found)) for first, found in taken(window)] == [(1, 2), (3, 1)]


def test_a_message_that_is_too_large_goes_alone(window):
    window.add(messages(b"1", b"2" * 4000, b"3"))
    assert [first for first, _ in taken(window)] == [1, 2, 3]


def test_it_is_full_by_number_until_outcomes_come(window):
    window.add(messages(*[b"x"] * 10))
    assert window.full
    taken(window)
    window.settle(confirmed(1, 1))
    assert not window.full
    assert len(window) == 9


def test_it_is_full_by_octets_until_a_whole_request_has_its_outcomes(window):
    window.add(messages(*[b"x" * 1000] * 5))
    assert window.full
    taken(window)
    window.settle(confirmed(1, 1))
    assert not window.full


def test_nothing_is_left_after_the_last_outcome(window):
    window.add(messages(b"1", b"2", b"3", b"4"))
    taken(window)
    window.settle(confirmed(1, 4))
    assert (len(window), window.octets) == (0, 0)


def test_a_lost_stream_makes_everything_without_an_outcome_go_again(window):
    window.add(messages(*[b"%d" % number for number in range(1, 8)]))
    taken(window)
    window.settle(confirmed(1, 4))
    window.begin_again()
    assert taken(window) == [(5, [b"5", b"6"]), (7, [b"7"])]
    assert window.octets == sum(message.ByteSize() for message in messages(b"4", b"5", b"6", b"7"))


def test_what_comes_while_the_stream_is_lost_goes_behind_what_goes_again(window):
    window.add(messages(b"1", b"2"))
    taken(window)
    window.begin_again()
    window.add(messages(b"3"))
    assert taken(window) == [(1, [b"1", b"2"]), (3, [b"3"])]


def test_outcomes_of_a_second_stream_go_on_in_the_middle(window):
    window.add(messages(b"1", b"2", b"3"))
    taken(window)
    window.settle(confirmed(1, 1))
    window.begin_again()
    taken(window)
    window.settle(confirmed(2, 2, pb.OUTCOME_DUPLICATE))
    assert not window


@pytest.mark.parametrize(
    "confirm",
    [
        pytest.param(confirmed(2, 1), id="skips one"),
        pytest.param(confirmed(1, 4), id="more than were sent"),
        pytest.param(confirmed(1, 0), id="none"),
        pytest.param(confirmed(1, 1, pb.OUTCOME_UNSPECIFIED), id="no outcome"),
        pytest.param(confirmed(1, 1, 99), id="unknown outcome"),
    ],
)
def test_an_outcome_out_of_turn_is_an_error(window, confirm):
    window.add(messages(b"1", b"2", b"3", b"not sent"))
    window.take()
    with pytest.raises(ProtocolError):
        window.settle(confirm)


def test_an_outcome_of_what_was_not_sent_again_yet_is_an_error(window):
    window.add(messages(b"1"))
    taken(window)
    window.begin_again()
    with pytest.raises(ProtocolError, match="from 1"):
        window.settle(confirmed(1, 1))
