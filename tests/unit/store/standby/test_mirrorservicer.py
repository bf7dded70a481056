"""Whom a mirror follows."""

from unittest.mock import Mock

import pytest

from fakeclock import FakeClock
from forebay.pb.store.v1 import mirror_pb2 as pb
from forebay.runtime import PermissionDeniedError
from forebay.runtime.lease import Standing
from forebay.store.standby.copyfolder import CopyFolder
from forebay.store.standby.mirrorservicer import MirrorServicer, refusal

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


async def nothing():
    for request in ():
        yield request


@pytest.mark.parametrize("names", [(), (b"kubectl.news.client.forebay", b"main-store")])
async def test_nobody_writes_to_a_mirror_but_who_has_the_certificate_of_the_pods(names, tmp_path):
    mirror = MirrorServicer("main-1", "main-store.news.svc", CopyFolder(tmp_path, FakeClock()), Mock())
    context = Mock()
    context.auth_context.return_value = {"x509_subject_alternative_name": names}
    with pytest.raises(PermissionDeniedError, match="only the pods of the store itself"):
        await anext(mirror.Follow(nothing(), context))
