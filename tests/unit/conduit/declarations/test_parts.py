"""The parts of the register that have a behaviour of their own."""

import pytest

from forebay.conduit.core.declarations.chronicle import Chronicle, Entry
from forebay.conduit.core.declarations.events import Meaning
from forebay.conduit.core.declarations.periods import opens_at
from forebay.conduit.core.declarations.quality import NOTHING, Told, contradict, properties_of, together, told_by
from forebay.conduit.core.declarations.resources import CHOSEN_RIDS, Resources
from forebay.conduit.core.declarations.settings import DeclarationSettings
from forebay.conduit.core.errors import SettingError
from forebay.conduit.core.wire.declarations import Period, PublisherDeclaration
from forebay.conduit.core.wire.properties import Durability, PropertyId, number_property


def test_a_chronicle_is_read_in_order_and_without_what_was_struck_out():
    chronicle = Chronicle()
    serials = [chronicle.add(PublisherDeclaration(rid)) for rid in range(100)]
    for serial in serials[10:]:
        chronicle.remove(serial)
    assert chronicle.after(0, 3) == [Entry(serial, PublisherDeclaration(serial - 1)) for serial in (1, 2, 3)]
    assert [entry.serial for entry in chronicle.after(8, 100)] == [9, 10]
    assert chronicle.after(50, 3) == []
    assert chronicle.add(PublisherDeclaration(7)) == 101
    assert chronicle.after(10, 3) == [Entry(101, PublisherDeclaration(7))]
    assert len(chronicle._order) <= 40


@pytest.mark.parametrize(
    ("period", "now", "opens"),
    [
        pytest.param(None, 7.0, 7.0, id="always"),
        pytest.param(Period(0, 0, 0), 7.0, 7.0, id="no period"),
        pytest.param(Period(2000, 0, 0), 1.0, 3.0, id="from then on"),
        pytest.param(Period(1000, 2000, 500), 1.5, 2.0, id="before the first"),
        pytest.param(Period(1000, 2000, 500), 2.4, 2.4, id="within"),
        pytest.param(Period(1000, 2000, 500), 2.5, 4.0, id="between"),
        pytest.param(Period(0, 2000, 0), 2.5, 2.5, id="no duration"),
    ],
)
def test_when_a_period_opens(period, now, opens):
    assert opens_at(period, 1.0, now) == pytest.approx(opens)


@pytest.mark.parametrize(
    "told", [NOTHING, Told(reliable=True), Told(reliable=False, durability=Durability.TRANSIENT)], ids=str
)
def test_what_is_told_goes_to_properties_and_back(told):
    assert told_by(properties_of(told)) == told


def test_a_wrong_value_tells_nothing():
    assert told_by((number_property(PropertyId.DURABILITY, 9),)) is None


def test_what_is_absent_contradicts_nothing():
    assert not contradict(Told(reliable=True), Told(durability=Durability.PERSISTENT))
    assert contradict(Told(reliable=True), Told(reliable=False))
    assert together(Told(reliable=True), Told(False, Durability.PERSISTENT)) == Told(True, Durability.PERSISTENT)


def test_ids_that_a_node_chooses():
    resources, others = Resources(), Resources()
    rid = resources.choose("/a", 0)
    assert rid == others.choose("/a", 0) <= CHOSEN_RIDS
    resources.hold(0, rid, Meaning("/other", NOTHING))
    assert resources.choose("/a", 0) == rid % CHOSEN_RIDS + 1
    resources.hold(0, 9999, Meaning("/a", NOTHING))
    assert resources.choose("/a", 0) == 9999


def test_ids_go_on_when_the_small_ones_are_used():
    resources = Resources()
    for rid in range(1, CHOSEN_RIDS + 1):
        resources.hold(0, rid, Meaning(f"/{rid}", NOTHING))
    assert resources.choose("/a", 0) > CHOSEN_RIDS


def test_a_limit_of_nothing_is_refused():
    with pytest.raises(SettingError, match="batch is 0"):
        DeclarationSettings(batch=0)
