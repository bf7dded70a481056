import json

import pytest

from bench.conduitload import OCTETS, Taken, samples

FIVE = samples(0, 5)


def test_samples_are_all_different():
    assert {len(sample) for sample in FIVE} == {OCTETS}
    assert [*FIVE, *samples(5, 300)] == samples(0, 305)
    assert len(set(samples(0, 305))) == 305


@pytest.mark.parametrize(
    ("payloads", "different", "ordered"),
    [
        pytest.param(FIVE, 5, True, id="all"),
        pytest.param(FIVE[::2], 3, True, id="some are lost"),
        pytest.param([*FIVE, FIVE[4]], 5, False, id="one came twice"),
        pytest.param([FIVE[1], FIVE[0]], 2, False, id="two are the wrong way round"),
    ],
)
def test_a_reader_tells_what_came(payloads, different, ordered, capsys):
    taken = Taken(5, "lossy")
    assert not taken.over
    taken.payloads += payloads
    assert not taken.add(1)
    assert taken.add(len(payloads) - 1) == (len(payloads) >= 5)
    taken.tell()
    told = json.loads(capsys.readouterr().out)
    assert (told["received"], told["different"], told["ordered"]) == (len(payloads), different, ordered)
