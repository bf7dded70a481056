"""What holds for as long as a ConduitNode's pod runs: the operator and the service have to mean the same by it."""

import pytest

from forebay.api.v1alpha1.conduitlisteners import ConduitListeners
from forebay.api.v1alpha1.conduitnode import Authentication, ConduitLimits, ConduitNodeSpec, Scouting
from forebay.conduit import specs
from forebay_operator.resources import conduitnode as resources
from operatorobjects import conduitnode

SECTIONS = {
    "listeners": ConduitListeners,
    "scouting": Scouting,
    "authentication": Authentication,
    "limits": ConduitLimits,
}
"""Of which a part may be changed live."""
KEYS = [{"id": number, "keyFrom": {"secretRef": {"name": "keys", "key": "key"}}} for number in range(2)]
KEYED = {"keys": KEYS[:1]}
CHANGES = {
    "peerId": "0a",
    "replicas": 3,
    "hostNetwork": True,
    "listeners.udp": {"port": 7500},
    "listeners.multicast": {"port": 7500},
    "listeners.tcp": {"port": 7500},
    "listeners.grpc": {"port": 7500},
    "listeners.health": {"port": 7500},
    "peers": ["udp/lab.example:7448"],
    "scouting.enabled": False,
    "scouting.interval": "1s",
    "scouting.count": 9,
    "scouting.resolveInterval": "1s",
    "lease": "9s",
    "opening": {"tries": 9},
    "numbers": "long",
    "conduits": [{}],
    "unicast": {"packetSize": 500},
    "unicastByPeer": [{"peerId": "0a"}],
    "extras": {"history": False},
    "authentication.keys": KEYS,
    "authentication.tolerance": "9s",
    "congestion": {"policy": "drop"},
    "spillRef": {"name": "main"},
    "resources": [{"uri": "/plant"}],
    "limits.peers": 9,
    "limits.conduits": 9,
    "limits.declarations": 5000,
    "limits.pendingDeclarations": 9,
    "limits.resources": 9,
    "limits.publishers": 9,
    "limits.subscribers": 9,
    "limits.queries": 9,
    "limits.uriLength": 99,
    "limits.queuedSamples": 9,
    "limits.pulledSamples": 9,
    "limits.history": "1KiB",
    "limits.aside": "1MiB",
    "limits.socketBuffer": "1MiB",
    "offloadReplies": True,
    "memory": "2GiB",
    "tls": {"secretRef": {"name": "own"}},
    "access": [{"principal": "robot", "methods": ["GetNode"]}],
    "clients": ["robot"],
}
"""By field."""
OF_THE_POD = {"hostNetwork", "listeners.grpc", "listeners.health"}
"""Of these a service says nothing: it is told by its pod."""


def spec(field=None):
    """A spec that has keys, and another value of that field."""
    given = {"authentication": dict(KEYED)}
    if field:
        section, _, name = field.rpartition(".")
        (given.setdefault(section, {}) if section else given)[name] = CHANGES[field]
    return given


def test_each_field_is_tried():
    fields = {field.alias for field in ConduitNodeSpec.model_fields.values()} - set(SECTIONS)
    for section, model in SECTIONS.items():
        fields |= {f"{section}.{field.alias}" for field in model.model_fields.values()}
    assert set(CHANGES) == fields


@pytest.mark.parametrize("field", CHANGES)
def test_pods_are_replaced_for_what_a_service_does_not_change_live(field):
    before, after = conduitnode(**spec()), conduitnode(**spec(field))
    rolls = resources.lasting(before) != resources.lasting(after)
    stays = specs.lasting(before.spec) != specs.lasting(after.spec)
    assert before != after
    assert rolls is (stays or field in OF_THE_POD)
    assert not (stays and field in OF_THE_POD)


def test_the_first_key_and_the_last_one_replace_the_pods():
    without, with_keys = conduitnode(), conduitnode(authentication=KEYED)
    assert resources.lasting(without) != resources.lasting(with_keys)
    assert specs.lasting(without.spec) != specs.lasting(with_keys.spec)
