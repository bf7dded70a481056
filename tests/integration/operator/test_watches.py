"""What the watches live through."""

from apiserver import ApiServer
from eventually import eventually
from kubeaccess import in_thread
from operatorsite import Site, hub, peerfeed


async def test_a_kind_that_goes_and_comes_back_is_followed_again(site: Site, apiserver: ApiServer):
    await site.apply(*hub(), peerfeed("before"))
    await site.until_ready()
    await in_thread(apiserver.admin.kubectl, "delete", "crd", "peerfeeds.forebay.dev")
    try:
        await eventually(lambda: "not watching yet" in site.operator.log.read_text(), within=90)
    finally:
        await in_thread(apiserver.install_resources)
    await site.apply(peerfeed("after"))
    await site.until_ready(("Peerfeed", "after"))
    assert site.operator.alive


async def test_an_operator_that_starts_before_its_kinds_waits_for_them(site: Site, apiserver: ApiServer):
    site.operator.kill()
    await in_thread(apiserver.admin.kubectl, "delete", "crd", "spills.forebay.dev")
    try:
        site.operator.start()
        await eventually(lambda: "not watching yet" in site.operator.log.read_text(), within=90)
    finally:
        await in_thread(apiserver.install_resources)
    await site.apply(*hub())
    await site.until_ready()


async def test_health_tells_of_the_api_server_and_of_the_watches(site: Site):
    async def healthy():
        text = await site.operator.page("/healthz")
        return "API server: " in text and "watches: " in text

    await site.apply(*hub())
    await site.until_ready()
    assert await healthy()
    assert "forebay_operator_reconciles_total" in await site.operator.page("/metrics")
