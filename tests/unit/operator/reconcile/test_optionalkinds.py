from forebay_operator.errors import UnavailableError
from forebay_operator.kube.kinds import SPARK_APPLICATION
from operatorworld import OperatorWorld


async def test_what_comes_is_followed_and_what_goes_is_not():
    world = OperatorWorld()
    kinds = world.reconciler.optional_kinds
    await kinds.detect()
    assert (kinds.watched, kinds.changed.is_set(), world.world.monitoring) == ((), False, False)
    world.kube.served |= {"SparkApplication", "ServiceMonitor"}
    await kinds.detect()
    assert (kinds.watched, kinds.changed.is_set(), world.world.monitoring) == ((SPARK_APPLICATION,), True, True)
    kinds.changed.clear()
    await kinds.detect()
    assert not kinds.changed.is_set()
    world.kube.served.clear()
    await kinds.detect()
    assert (kinds.watched, kinds.changed.is_set(), world.world.monitoring) == ((), True, False)


async def test_while_it_can_not_be_told_what_was_known_counts(monkeypatch):
    world = OperatorWorld()
    world.kube.served |= {"SparkApplication", "ServiceMonitor"}
    kinds = world.reconciler.optional_kinds
    await kinds.detect()

    async def fails(kind):
        raise UnavailableError("get", 0, "no answer")

    monkeypatch.setattr(world.kube, "serves", fails)
    await kinds.detect()
    assert kinds.watched == (SPARK_APPLICATION,)
    assert world.world.monitoring
