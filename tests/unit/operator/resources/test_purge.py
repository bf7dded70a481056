from forebay_operator.resources import purge_job
from operatorobjects import UID, container, given_spill, managed_spill, settings


def job(spill, uid=UID, kind="Outfeed"):
    return purge_job(spill, kind, uid, settings())


def test_it_purges_the_service_by_kind_and_uid():
    made = job(given_spill())
    assert container([made], "Job")["command"] == [
        *("forebay", "spill", "purge", "outfeed", UID),
        *("--url", "redis://redis.example:6379/0"),
    ]


def mounted(spill):
    made = job(spill)
    assert container([made], "Job")["command"][5:] == ["--url-file", "/etc/forebay/spill/url"]
    (volume,) = [each for each in made["spec"]["template"]["spec"]["volumes"] if "secret" in each]
    return volume["secret"]["secretName"], volume["secret"]["items"]


def test_a_managed_spills_url_is_in_its_secret():
    assert mounted(managed_spill()) == ("main-valkey", [{"key": "url", "path": "url"}])


def test_a_url_with_a_password_is_in_the_secret_that_the_spill_names():
    spill = given_spill(urlFrom={"secretRef": {"name": "redis", "key": "address"}})
    assert mounted(spill) == ("redis", [{"key": "address", "path": "url"}])


def test_each_spill_and_each_service_has_a_job_of_its_own():
    jobs = [job(given_spill("a")), job(given_spill("b")), job(given_spill("a"), uid="other")]
    assert len({made["metadata"]["name"] for made in jobs}) == 3


def test_it_ends_in_any_case_and_goes_away():
    spec = job(given_spill())["spec"]
    assert spec["backoffLimit"] == 4
    assert spec["activeDeadlineSeconds"] == 900
    assert spec["ttlSecondsAfterFinished"] == 600


def test_a_drained_node_is_no_failure():
    spec = job(given_spill())["spec"]
    assert spec["template"]["spec"]["restartPolicy"] == "Never"
    assert spec["podFailurePolicy"]["rules"] == [
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    ]
