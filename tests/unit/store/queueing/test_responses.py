"""Deliveries as octets."""

from array import array

from hypothesis import given
from hypothesis import strategies as st

from forebay.pb.store.v1 import store_pb2 as pb
from forebay.store.backing.run import Run
from forebay.store.queueing.responses import deliveries

bodies = st.lists(st.one_of(st.binary(max_size=5), st.integers(0, 20_000).map(bytes)), min_size=1, max_size=5)


def run_of(first, contents, times):
    ids = [b"%016d" % number for number in range(len(contents))]
    return Run(first, ids, array("I", map(len, contents)), contents, deliveries=array("H", times) if times else None)


@given(
    st.lists(st.tuples(st.integers(0, 1 << 40), bodies, st.booleans()), max_size=3),
    st.one_of(st.just(0), st.integers(1, 1 << 40)),
)
def test_a_response_is_as_the_generated_class_reads_it(parts, first):
    runs, wanted = [], []
    for position, found, repeated in parts:
        messages = [pb.Message(address="a", body=body, taken_ms=7) for body in found]
        times = [place % 3 for place in range(len(found))] if repeated else []
        runs.append(run_of(position, [message.SerializeToString() for message in messages], times))
        for place, message in enumerate(messages):
            number = first + len(wanted) if first else 0
            repeats = times[place] if times else 0
            wanted.append(
                pb.Delivery(number=number, deliveries=repeats, position=position + place + 5, message=message)
            )
    octets = deliveries(runs, first, lambda span: span.first + 5)
    assert pb.ConsumeResponse.FromString(octets) == pb.ConsumeResponse(deliveries=wanted)
    assert pb.GetResponse.FromString(octets).deliveries == wanted
    assert pb.BrowseResponse.FromString(octets).deliveries == wanted


def test_nothing_is_nothing():
    assert deliveries([], 1, lambda span: 0) == b""
