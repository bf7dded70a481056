"""The Spill of a router, as its manifests have it."""

from eventually import eventually


async def test_a_spill_that_is_away_is_a_degradation_and_the_router_is_ready(make_router, valkey):
    router = make_router(redis=valkey.url)
    await router.start()
    await eventually(lambda: healthy(router))
    await valkey.kill()
    [degradation] = await eventually(router.degradations)
    assert (degradation.reason, degradation.kind, degradation.name) == ("SpillUnavailable", "Spill", "spill")
    assert "senders keep what there is no room for" in degradation.message
    async with router.process("one") as one:
        await one.thread("alice")
    await valkey.start()
    await eventually(lambda: healthy(router))


async def healthy(router):
    return not await router.degradations()


async def test_a_spill_is_added_to_a_running_router(make_router, valkey):
    router = make_router()
    await router.start()
    router.redis, router.spec["spillRef"] = valkey.url, {"name": "spill"}
    await router.applied()
    await eventually(lambda: healthy(router))
    assert (await router.metrics())["forebay_router_spilled_bytes",] == 0


async def test_another_server_needs_a_restart(make_router, valkey):
    router = make_router(redis=valkey.url)
    await router.start()
    router.redis = "redis://127.0.0.1:1"
    results = await router.apply()
    [violation] = results["Spill/spill"].violations
    assert "the URL changed: restart the service" in violation.description
    assert results["Router/main"].applied
