import pytest

from forebay.api.v1alpha1 import AccessRule
from forebay.runtime import PermissionDeniedError, UnauthenticatedError
from forebay.runtime.access import Authorizer, Caller

OFFER = "forebay.outfeed.v1.OutfeedService/Offer"
PAUSE = "forebay.outfeed.v1.OutfeedService/Pause"
APPLY = "forebay.config.v1.ConfigService/Apply"
STATUS = "forebay.config.v1.ConfigService/GetStatus"
CHECK = "grpc.health.v1.Health/Check"


def secure(*names):
    return Caller(names, secure=True, loopback=True)


LOCAL = Caller((), secure=False, loopback=True)
REMOTE = Caller((), secure=False, loopback=False)


def rule(principal, *methods):
    return AccessRule(principal=principal, methods=methods or ("*",))


def allowed(caller, method, *rules, operator="operator.forebay"):
    try:
        Authorizer(lambda: rules, operator).check(caller, method)
    except (PermissionDeniedError, UnauthenticatedError):
        return False
    return True


@pytest.mark.parametrize("pattern", ["*", "Offer", "Off*", "OutfeedService/*", OFFER, "forebay.outfeed.v1.*"])
def test_a_glob_stands_for_a_method_in_any_of_its_forms(pattern):
    assert allowed(secure("news.example"), OFFER, rule("news.example", pattern))


@pytest.mark.parametrize("pattern", ["offer", "Pause", "Service/Offer", "StoreService/*", "/Offer"])
def test_another_glob_does_not(pattern):
    assert not allowed(secure("news.example"), OFFER, rule("news.example", pattern))


def test_a_principal_is_a_glob_of_any_of_the_names():
    rules = rule("spiffe://cluster.local/ns/news/*", "Offer")
    assert allowed(secure("a.example", "spiffe://cluster.local/ns/news/sa/inn"), OFFER, rules)
    assert not allowed(secure("a.example", "spiffe://cluster.local/ns/other/sa/inn"), OFFER, rules)


def test_names_are_case_sensitive():
    assert not allowed(secure("News.example"), OFFER, rule("news.example"))


def test_without_rules_every_certificate_is_good():
    assert allowed(secure("anyone.example"), PAUSE)


def test_a_certificate_that_names_nobody_is_not():
    with pytest.raises(UnauthenticatedError, match="names nobody"):
        Authorizer(tuple).check(secure(), PAUSE)


def test_apply_is_for_the_operator_only():
    assert allowed(secure("operator.forebay"), APPLY)
    assert not allowed(secure("news.example"), APPLY)
    assert not allowed(secure("news.example"), APPLY, rule("news.example", "*"))


def test_the_operator_needs_no_rule_for_configuration_but_for_all_else():
    rules = rule("news.example")
    assert allowed(secure("operator.forebay"), STATUS, rules)
    assert not allowed(secure("operator.forebay"), OFFER, rules)


def test_what_the_operator_watches_needs_no_rule_for_it_alone():
    authorizer = Authorizer(
        lambda: [rule("news.example", "Offer")], "operator.forebay", ("forebay.outfeed.v1.OutfeedService/Pause",)
    )
    authorizer.check(secure("operator.forebay"), PAUSE)
    with pytest.raises(PermissionDeniedError):
        authorizer.check(secure("news.example"), PAUSE)


def test_without_an_operator_nobody_applies_over_tls():
    assert not allowed(secure("operator.forebay", ""), APPLY, operator="")


def test_this_machine_may_do_everything_in_plain_text():
    assert allowed(LOCAL, APPLY, rule("news.example", "Offer"))


def test_other_machines_in_plain_text_may_do_what_rules_allow_to_all():
    assert allowed(REMOTE, OFFER)
    assert allowed(REMOTE, OFFER, rule("*", "Offer"))
    assert not allowed(REMOTE, OFFER, rule("news.example", "Offer"))
    assert not allowed(REMOTE, APPLY)


def test_health_is_open_to_all():
    assert allowed(secure("stranger.example"), CHECK, rule("news.example"))


def test_new_rules_count_at_once():
    rules = [rule("news.example")]
    authorizer = Authorizer(lambda: rules)
    authorizer.check(secure("news.example"), OFFER)
    rules[:] = [rule("other.example")]
    with pytest.raises(PermissionDeniedError, match=r"news\.example may not call .*Offer: add a rule"):
        authorizer.check(secure("news.example"), OFFER)
