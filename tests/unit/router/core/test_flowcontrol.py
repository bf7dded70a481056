from forebay.router.core.flowcontrol import FlowSettings, Throttle, Waiters

SETTINGS = FlowSettings(repeat=1.0, longest_repeat=4.0, block_limit=60.0)


def test_a_sender_waits_until_every_xoff_is_cancelled():
    throttle = Throttle(SETTINGS)
    throttle.xoff("b@x", 0.0)
    throttle.xoff("c@x", 0.0)
    assert throttle.xon("b@x")
    assert throttle.blocked
    assert throttle.blockers == ["c@x"]
    assert throttle.xon("c@x")
    assert not throttle.blocked


def test_one_xon_cancels_all_xoffs_of_a_recipient():
    throttle = Throttle(SETTINGS)
    for now in range(3):
        throttle.xoff("b@x", float(now))
    assert throttle.xon("b@x")
    assert not throttle.blocked


def test_an_xon_of_somebody_else_changes_nothing():
    throttle = Throttle(SETTINGS)
    throttle.xoff("b@x", 0.0)
    assert not throttle.xon("c@x")
    assert throttle.blocked


def test_ntf_xon_is_repeated_at_growing_pauses_until_xon():
    throttle = Throttle(SETTINGS)
    throttle.xoff("b@x", 0.0)
    repeated, now = [], 0.0
    while (now := throttle.next_due()) < 20.0:
        assert throttle.repeats(now - 0.01) == []
        if throttle.repeats(now):
            repeated.append(now)
    assert repeated == [1.0, 3.0, 7.0, 11.0, 15.0, 19.0]
    throttle.xon("b@x")
    assert throttle.next_due() is None
    assert throttle.repeats(1000.0) == []


def test_a_second_xoff_does_not_put_off_the_repeat():
    throttle = Throttle(SETTINGS)
    throttle.xoff("b@x", 0.0)
    throttle.xoff("b@x", 0.9)
    assert throttle.repeats(1.0) == ["b@x"]


def test_after_the_limit_a_recipient_is_not_waited_for_any_more():
    throttle = Throttle(FlowSettings(repeat=100.0, block_limit=5.0))
    throttle.xoff("b@x", 0.0)
    throttle.xoff("c@x", 2.0)
    assert throttle.next_due() == 5.0
    assert throttle.overdue(4.9) == []
    assert throttle.overdue(5.0) == ["b@x"]
    assert throttle.blockers == ["c@x"]


def test_waiters_are_told_once_each():
    waiters = Waiters()
    for sender in ("a@x", "b@x", "a@x", "c@x"):
        waiters.add(sender)
    waiters.discard("b@x")
    waiters.discard("nobody@x")
    assert waiters
    assert waiters.release() == ["a@x", "c@x"]
    assert not waiters
    assert waiters.release() == []
