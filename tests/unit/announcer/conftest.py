"""A tracker that is put together as in the service, and does nothing by itself."""

import pytest

from fakeclock import FakeClock
from forebay.announcer.tracker import Tracker
from forebay.api.v1alpha1 import AnnouncerSpec


@pytest.fixture
async def make_tracker(tmp_path):
    """Make a tracker of a spec, with forwarders that get announces and some that are paused."""
    made = []

    def make(*forwarders, paused=(), **spec):
        tracker = Tracker(AnnouncerSpec(**spec), tmp_path, FakeClock())
        tracker.configure(tracker.spec, forwarders, paused)
        made.append(tracker)
        return tracker

    yield make
    for tracker in made:
        await tracker.upstreams.close()
