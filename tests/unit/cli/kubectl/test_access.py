import pytest

from forebay.cli.errors import InputError
from forebay.cli.kubectl.access import full_method, grants, why_not

from .bodies import outfeed_model, store_model

OFFER = "forebay.outfeed.v1.OutfeedService/Offer"
APPLY = "forebay.config.v1.ConfigService/Apply"
INN = {"principal": "inn.news.client.forebay", "methods": ["Offer"]}


def test_a_rule_is_about_the_clients_that_its_principal_fits():
    rules = [INN, {"principal": "*.news.client.forebay"}, {"principal": "elsewhere"}]
    found = grants(outfeed_model(clients=["inn"], access=rules))
    assert [(each.clients, each.methods) for each in found] == [
        (("inn",), ("Offer",)),
        (("inn", "kubectl"), ("*",)),
        ((), ("*",)),
    ]


def test_a_rule_lets_its_principal_call_its_methods():
    rules = outfeed_model(access=[INN]).spec.access
    assert why_not(rules, "inn.news.client.forebay", OFFER) == ""
    assert "add a rule" in why_not(rules, "inn.news.client.forebay", full_method("Outfeed", "Pause"))
    assert "add a rule" in why_not(rules, "other", OFFER)


def test_without_rules_everybody_may_call_everything_but_apply():
    assert why_not((), "anybody", OFFER) == ""
    assert "only the operator may" in why_not((), "anybody", APPLY)


def test_the_operator_applies():
    assert why_not(outfeed_model(access=[INN]).spec.access, "operator.forebay", APPLY) == ""


@pytest.mark.parametrize("text", ["Offer", "OutfeedService/Offer", OFFER])
def test_a_method_has_three_forms(text):
    assert full_method("Outfeed", text) == OFFER


def test_a_store_has_its_own_methods():
    assert full_method("Store", "Publish") == "forebay.store.v1.StoreService/Publish"
    assert full_method("Store", "Apply") == APPLY
    with pytest.raises(InputError, match="Store has no method Offer"):
        full_method("Store", "Offer")


def test_the_rules_of_a_store_are_about_its_clients():
    found = grants(store_model(clients=["till"], access=[{"principal": "till.*", "methods": ["Publish"]}]))
    assert [(each.clients, each.methods) for each in found] == [(("till",), ("Publish",))]


def test_the_methods_of_the_configuration_count():
    assert full_method("Outfeed", "Apply") == APPLY


def test_a_method_that_is_not_there_is_told_with_one_that_is():
    with pytest.raises(InputError, match="no method Ofer") as caught:
        full_method("Outfeed", "Ofer")
    assert caught.value.remedy == "Did you mean Offer?"
