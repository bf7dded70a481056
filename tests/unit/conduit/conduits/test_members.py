from forebay.conduit.core.conduits.members import Members


def test_the_floor_is_the_lowest_acknowledgement():
    members = Members()
    members.join(1, 10)
    members.join(2, 10)
    members.acknowledge(1, 15)
    assert members.floor(20) == 10
    members.acknowledge(2, 12)
    assert members.floor(20) == 12


def test_who_leaves_holds_the_floor_no_more():
    members = Members()
    members.join(1, 10)
    members.join(2, 17)
    members.leave(1)
    assert members.floor(20) == 17
    members.leave(2)
    assert members.floor(20) == 20
    assert len(members) == 0


def test_an_older_acknowledgement_changes_nothing():
    members = Members()
    members.join(1, 10)
    assert members.acknowledge(1, 15)
    assert not members.acknowledge(1, 12)
    assert members.acked(1) == 15


def test_who_lags_has_not_acknowledged_all():
    members = Members()
    members.join(1, 10)
    members.join(2, 10)
    members.acknowledge(2, 12)
    assert members.lagging(12) == [1]
    assert members.lagging(10) == []
