import pytest

from forebay.client import Outcome, ProtocolError, Verdict
from forebay.client.window import Window


def accepted(first, count):
    return Verdict(first=first, count=count, outcome=Outcome.OUTCOME_ACCEPTED)


@pytest.fixture
def window():
    window = Window()
    window.add([b"a", b"bb"])
    window.add([b"ccc", b"dddd", b"eeeee"])
    return window


def test_articles_are_numbered_on_over_batches(window):
    assert [batch.first for batch in window.unsettled()] == [0, 2]
    assert window.next == 5
    assert len(window) == 5


def test_a_batch_that_has_all_its_verdicts_is_let_go(window):
    window.settle(accepted(0, 2))
    assert window.octets == 12
    assert [batch.articles for batch in window.unsettled()] == [[b"ccc", b"dddd", b"eeeee"]]


def test_of_a_batch_in_the_middle_the_rest_is_sent_again(window):
    window.settle(accepted(0, 3))
    (batch,) = window.unsettled()
    assert (batch.first, batch.articles) == (3, [b"dddd", b"eeeee"])


def test_nothing_is_left_after_the_last_verdict(window):
    window.settle(accepted(0, 5))
    assert not window
    assert window.octets == 0


@pytest.mark.parametrize(
    "verdict",
    [
        pytest.param(accepted(1, 1), id="skips one"),
        pytest.param(accepted(0, 6), id="more than were sent"),
        pytest.param(accepted(0, 0), id="none"),
        pytest.param(Verdict(first=0, count=1), id="no outcome"),
        pytest.param(Verdict(first=0, count=1, outcome=99), id="unknown outcome"),
    ],
)
def test_a_verdict_out_of_turn_is_an_error(window, verdict):
    with pytest.raises(ProtocolError):
        window.settle(verdict)
