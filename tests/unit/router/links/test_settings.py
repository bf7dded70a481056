"""Which links are wanted, and who may link."""

import pytest

from forebay.router.links.settings import DomainRule, LinkSettings, LinksSettings


@pytest.mark.parametrize(
    ("principals", "names", "admitted"),
    [
        pytest.param(["router-*"], ["router-west"], True, id="its certificate"),
        pytest.param(["router-*"], ["stranger"], False, id="another certificate"),
        pytest.param(["router-*"], [], False, id="none, as over UDP"),
        pytest.param(["*"], [], True, id="none, where everyone may"),
    ],
)
def test_who_may_link_for_a_domain(principals, names, admitted):
    settings = LinksSettings(access=[DomainRule("west", principals)])
    assert settings.admits(names, "west") is admitted
    assert not settings.admits(names, "north")


def test_without_rules_all_may_link():
    assert LinksSettings().admits([], "west")


def test_peers_are_links_within_the_domain():
    settings = LinksSettings(peers=["a:1"], links=[LinkSettings("west", ["b:1"])], server_name="n")
    [peer, link] = settings.wanted("east")
    assert (peer.name, peer.addresses, peer.domain, peer.server_name, peer.peer) == (
        "peer a:1", ["a:1"], "east", "n", True,
    )  # fmt: skip
    assert link.name == "west"
