from forebay.conduit.core.session.peer import Peer, PeerState


def peer(state=PeerState.OPENING):
    made = Peer(0, "a", 1)
    made.state = state
    return made


def test_receivers_are_counted():
    one = peer(PeerState.ESTABLISHED)
    assert one.enter()
    assert one.enter()
    assert one.active == 2
    one.leave()
    assert one.active == 1


def test_no_receiver_enters_before_the_session_is_there():
    assert not peer().enter()


def test_what_was_given_up_is_not_established():
    """Housekeeping may give up just when the answer comes."""
    one = peer()
    one.expire("no answer")
    assert not one.establish()
    assert one.state is PeerState.EXPIRED


def test_the_first_reason_to_expire_stays():
    one = peer(PeerState.ESTABLISHED)
    one.expire("first", 0)
    one.expire("second", 2)
    assert (one.reason, one.close_reason) == ("first", 0)
