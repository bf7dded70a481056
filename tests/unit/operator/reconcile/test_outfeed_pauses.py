from forebay_operator.kube.kinds import (
    OUTFEED,
    PEERFEED,
    SECRET,
    SERVICE,
    SPILL,
)
from operatorworld import auth, peerfeed, secret, spill, stored


async def test_a_paused_outfeed_is_left_alone(running):
    running.annotate(OUTFEED, "hub", **{"forebay.dev/paused": "true"})
    await running.settle()
    running.kube.writes.clear()
    running.apply(peerfeed("third"))
    running.delete(SERVICE, "hub-outfeed")
    await running.settle()
    assert running.condition(OUTFEED, "hub", "Paused")[0] == "True"
    assert running.service().peers() == {"east", "west"}
    assert [write for write in running.kube.writes if "by hand" not in write] == []


async def test_a_pause_that_ends_catches_up(running):
    running.annotate(OUTFEED, "hub", **{"forebay.dev/paused": "true"})
    running.apply(peerfeed("third"))
    await running.settle()
    body = running.kube.get(OUTFEED, "hub")
    del body["metadata"]["annotations"]
    running.told(body)
    await running.settle()
    assert running.condition(OUTFEED, "hub", "Paused") == ("", "")
    assert running.service().peers() == {"east", "west", "third"}


async def test_a_paused_peerfeed_stays_as_it_is(running):
    running.annotate(PEERFEED, "east", **{"forebay.dev/paused": "true"})
    running.apply(peerfeed("east", window=7))
    await running.settle()
    manifest = next(each for each in running.service().document.manifests if each["metadata"]["name"] == "east")
    assert "window" not in manifest["spec"]
    assert running.condition(PEERFEED, "east", "Paused")[0] == "True"


async def test_a_paused_peerfeed_stays_also_when_the_configuration_is_lost(running):
    running.annotate(PEERFEED, "east", **{"forebay.dev/paused": "true"})
    await running.settle()
    running.kube.remove(SECRET.kind, "news", "hub-outfeed-config")
    await running.verify()
    assert stored(running)[1] == {"east", "west"}
    assert running.service().peers() == {"east", "west"}


async def test_a_peerfeed_that_was_paused_from_the_start_is_not_begun(running):
    third = peerfeed("third")
    third["metadata"]["annotations"] = {"forebay.dev/paused": "true"}
    running.apply(third)
    await running.settle()
    await running.verify()
    assert running.service().peers() == {"east", "west"}


async def test_the_password_of_a_paused_peerfeed_is_still_the_one_that_it_refers_to(running):
    running.kube.put(secret("login", password=""))
    running.apply(peerfeed("east", auth=auth("login")))
    await running.settle()
    running.annotate(PEERFEED, "east", **{"forebay.dev/paused": "true"})
    running.apply(peerfeed("east", auth=auth("other")))
    await running.settle()
    assert "news/login" in running.service().document.secrets
    assert running.condition(PEERFEED, "east", "Ready")[1] != "SecretMissing"


async def test_a_paused_spill_stays_as_it_is_for_its_services(running):
    running.annotate(SPILL, "main", **{"forebay.dev/paused": "true"})
    running.apply(spill(url="redis://other.example:6379/0"))
    await running.settle()
    manifest = next(each for each in running.service().document.manifests if each["kind"] == "Spill")
    assert manifest["spec"]["url"] == "redis://redis.example:6379/0"
