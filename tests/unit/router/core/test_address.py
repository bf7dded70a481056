import pytest

from forebay.router.core.address import check_address, check_domain, check_name, qualified, split
from forebay.router.core.errors import BadNameError


def test_an_address_is_a_name_and_a_domain():
    assert split("alice@east") == ("alice", "east")
    assert split("alice") == ("alice", "")


def test_an_address_without_a_domain_gets_one():
    assert qualified("alice", "east") == "alice@east"
    assert qualified("alice@west", "east") == "alice@west"


@pytest.mark.parametrize("name", ["alice", "A1", "_x", "a.b-c:d/e+f", "x" * 255])
def test_names_of_threads(name):
    check_name("thread", name)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        pytest.param("", "is no name", id="empty"),
        pytest.param("a b", "is no name", id="space"),
        pytest.param("a@b", "is no name", id="domain"),
        pytest.param("-a", "is no name", id="dash first"),
        pytest.param("x" * 256, "256 characters", id="long"),
        pytest.param("skald", "begins with skal", id="reserved"),
        pytest.param("SKAL-master", "begins with skal", id="reserved in capitals"),
    ],
)
def test_names_that_no_thread_may_have(name, problem):
    with pytest.raises(BadNameError, match=problem):
        check_name("thread", name)


@pytest.mark.parametrize("name", ["", "East", "-a", "a-", "x" * 64, "a_b"])
def test_names_that_no_domain_may_have(name):
    with pytest.raises(BadNameError, match="name of a domain"):
        check_domain(name)


def test_addresses_are_checked_as_a_whole():
    assert check_address("alice@east.example") == "alice@east.example"
    assert check_address("alice") == "alice"
    for wrong in ("alice@", "@east", "alice@East", "skal-master@east"):
        with pytest.raises(BadNameError):
            check_address(wrong)
