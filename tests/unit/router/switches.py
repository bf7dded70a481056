"""A switch with a fake clock, and what its outlets hold."""

from fakeclock import FakeClock
from forebay.pb.router.v1 import router_pb2 as pb
from forebay.router.registry import Entry
from forebay.router.settings import OutletLimits, RouterSettings
from forebay.router.switch import Switch

LIMITS = OutletLimits(high=100, low=50, response=60)


def make_switch(**settings):
    values = {"domain": "x", "router": "r", "grace": 0.0, "outlets": LIMITS} | settings
    return Switch(RouterSettings(**values), FakeClock())


def attach(switch, *names, process="p"):
    """An outlet with threads of those names behind it."""
    outlet = switch.outlet(process)
    switch.outlets.add(outlet)
    for name in names:
        switch.add_thread(Entry(name, 1, outlet, process, switch.settings.router, 0))
    return outlet


def parcel(recipient="b@x", sender="a@x", first=1, count=1, ttl=4, flags=4, messages=b"x" * 10):
    return pb.Parcel(
        sender=sender,
        recipient=recipient,
        incarnation=7,
        first=first,
        count=count,
        ttl=ttl,
        flags=flags,
        messages=messages,
    )


def signal(kind, sender="a@x", recipient="b@x", ttl=4):
    return pb.Signal(sender=sender, recipient=recipient, kind=kind, ttl=ttl)


def receipt(sender="a@x", recipient="b@x", ttl=4):
    return pb.Receipt(sender=sender, recipient=recipient, first=1, count=1, outcome=pb.OUTCOME_RECEIVED, ttl=ttl)
