from forebay_operator.handlers import OPTIONAL, OWNED
from forebay_operator.kube.kinds import RESOURCES
from forebay_operator.permissions import PERMISSIONS, Scope


def test_nothing_is_granted_at_large():
    for right in PERMISSIONS:
        assert right.verbs
        assert "*" not in (right.group, right.resource, *right.verbs)


def test_secrets_are_not_reached_where_only_watching_is_allowed():
    assert {right.scope for right in PERMISSIONS if right.resource == "secrets"} == {Scope.LISTED, Scope.OWN}


def test_nobody_may_list_secrets():
    assert not any({"list", "watch"} & set(right.verbs) for right in PERMISSIONS if right.resource == "secrets")


def test_what_is_followed_may_be_followed():
    watched = {(right.group, right.resource) for right in PERMISSIONS if {"list", "watch"} <= set(right.verbs)}
    assert watched == {(kind.group, kind.plural) for kind in (*RESOURCES, *OWNED, *OPTIONAL)}


def test_a_right_is_listed_once():
    named = [(right.scope, right.group, right.resource) for right in PERMISSIONS]
    assert len(named) == len(set(named))
