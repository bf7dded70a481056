import pytest

from forebay_operator.configuration import next_revision


@pytest.mark.parametrize(
    ("stored", "reported", "changed", "wanted"),
    [
        pytest.param(0, [], True, 1, id="first"),
        pytest.param(4, [4, 3], False, 4, id="nothing-new"),
        pytest.param(4, [4, 3], True, 5, id="other-content"),
        pytest.param(4, [7], False, 8, id="a-pod-is-ahead"),
        pytest.param(4, [7], True, 8, id="both"),
        pytest.param(0, [7, 0], True, 8, id="the-secret-was-deleted"),
        pytest.param(4, [0, 0], False, 4, id="pods-have-just-started"),
    ],
)
def test_a_revision_rises_with_the_content_and_above_every_pod(stored, reported, changed, wanted):
    assert next_revision(stored, reported, changed=changed) == wanted
