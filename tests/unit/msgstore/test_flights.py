from forebay.msgstore.flights import Flight, Flights, Put

ID = bytes(16)


def fly(flights, refs=1, parts=(b"a", b"b")):
    flight = Flight(Put(ID, parts, refs))
    flights.add(flight)
    return flight


def test_flight_knows_its_size_and_body():
    flight = Flight(Put(ID, (b"ab", memoryview(b"cde"))))
    assert (flight.size, flight.body(), flight.refs) == (5, b"abcde", 1)


def test_cancel_takes_references_until_none_is_left():
    flights = Flights()
    flight = fly(flights, refs=2)
    assert [flights.cancel(ID) for _ in range(3)] == [True, True, False]
    assert flight.refs == 0


def test_cancel_goes_to_the_oldest_flight_that_is_wanted():
    flights = Flights()
    one, two = fly(flights), fly(flights)
    flights.cancel(ID)
    assert (one.refs, two.refs) == (0, 1)
    assert flights.find(ID) is two
    flights.cancel(ID)
    assert flights.find(ID) is None


def test_nothing_flies_once_all_are_discarded():
    flights = Flights()
    one, two = fly(flights), fly(flights)
    flights.discard(one)
    assert flights
    flights.discard(two)
    assert not flights
    assert not flights.cancel(ID)
