"""Announces, forwarders and a dispatcher with its clock, for tests."""

from random import Random

from forebay.announcer.announce import Announce, Event
from forebay.announcer.forwarding.dispatcher import Dispatcher
from forebay.announcer.forwarding.forwarderspec import ForwarderSpec
from forebay.announcer.forwarding.outcome import Answer, Cause, Failure
from forebay.announcer.forwarding.overview import forwarder_statuses, queue_status
from forebay.announcer.forwarding.settings import ForwardingSettings

START = 1000.0
ANSWER = Answer(interval=1800.0)


def octets(text):
    """20 octets that begin with the text."""
    return text.encode().ljust(20, b".")


def announce(torrent="torrent", peer="peer", event=Event.NONE, **fields):
    fields = {
        "port": 6881, "uploaded": 0, "downloaded": 0, "left": 100, "numwant": None, "key": b"",
        "address": b"\x7f\x00\x00\x01",
    } | fields  # fmt: skip
    return Announce(info_hash=octets(torrent), peer_id=octets(peer), event=event, **fields)


def spec(name="one", url="http://tracker.example/announce", **fields):
    return ForwarderSpec(name, url, **fields)


def failure(cause=Cause.SERVER_ERROR, wait=None, reason="no"):
    return Failure(cause, reason, wait)


class Driven:
    """A dispatcher whose time a test moves."""

    def __init__(self, forwarders=1, **settings):
        self.now = START
        self.settings = ForwardingSettings(**settings)
        self.core = Dispatcher(self.settings, Random(0), self.now)
        self.specs = [spec(f"f{number}") for number in range(forwarders)]
        self.configure()

    def configure(self):
        self.core.configure(self.settings, self.specs, self.now)

    @property
    def counters(self):
        return self.core.jobs.counters

    @property
    def queue(self):
        return self.core.jobs.queue

    @property
    def pending(self):
        return self.core.jobs.pending.count

    @property
    def scheduled(self):
        return self.core.jobs.schedule.upcoming(1000)

    def announced(self, torrent="torrent", peer="peer", event=Event.NONE, initial=False, **fields):
        return self.core.announced(announce(torrent, peer, event, **fields), lambda _: not initial, self.now)

    def fill(self, jobs):
        """Queue so many jobs, each of a torrent of its own."""
        for number in range(jobs):
            assert self.announced(f"fill{number}") is None

    def take(self):
        errand = self.core.take(self.now)
        return errand and errand.job

    def take_all(self):
        return list(iter(self.take, None))

    def done(self, job, outcome=ANSWER):
        self.core.done(job, outcome, self.now)

    def work(self, outcome=ANSWER):
        """Take one job and end it with this outcome; the job."""
        job = self.take()
        assert job is not None
        self.done(job, outcome)
        return job

    def tick(self, seconds=5.0):
        self.now += seconds
        self.core.tick(self.now)

    def state(self, name="f0"):
        return next(status for status in forwarder_statuses(self.core, self.now) if status.name == name)

    def status(self, workers=0):
        return queue_status(self.core, workers, self.now)
