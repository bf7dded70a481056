"""Whom a mirror follows."""

import pytest

from forebay.pb.store.v1 import mirror_pb2 as pb
from forebay.runtime.lease import Standing
from forebay.store.standby.mirrorservicer import refusal

BEGIN = pb.FollowBegin(epoch=4, primary="main-0")


def test_it_follows_whom_the_lease_names():
    assert refusal(BEGIN, Standing("main-0", 4, "main-0"), "main-1", standing_by=True) == ""


@pytest.mark.parametrize("standing", [Standing("main-0", 5, ""), Standing("main-2", 4, ""), Standing()])
def test_another_or_an_earlier_primary_is_refused(standing):
    assert "main-0 of epoch 4 is not primary: the lease names" in refusal(BEGIN, standing, "main-1", standing_by=True)


def test_what_counts_as_everything_is_not_overwritten():
    problem = refusal(BEGIN, Standing("main-0", 4, "main-0,main-1"), "main-1", standing_by=True)
    assert problem.startswith("main-1 still counts as having everything")


def test_a_primary_follows_nobody():
    assert "follows nobody" in refusal(BEGIN, Standing("main-0", 4, ""), "main-1", standing_by=False)
