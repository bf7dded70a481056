"""What has to be written of what became of jobs."""

from forebay.announcer.forwarding.job import Job
from forebay.announcer.lasting.changes import Changes
from forwardings import announce


def job(torrent="torrent", made=1.0):
    return Job(announce(torrent), "one", made)


JOB, NEWER = job(), job(made=2.0)
KEY = JOB.pending_key


def written(*jobs):
    """Changes after these were written."""
    changes = Changes()
    for each in jobs:
        changes.kept(each)
    changes.written(changes.take(100))
    return changes


def test_a_job_that_comes_and_goes_between_two_writes_is_never_written():
    changes = Changes()
    changes.kept(JOB)
    changes.gone(KEY)
    assert changes.take(100) == {}


def test_a_job_that_goes_after_it_was_written_is_struck_once():
    changes = written(JOB)
    changes.gone(KEY)
    assert changes.take(100) == {KEY: None}


def test_the_last_form_of_a_job_is_written():
    changes = Changes()
    changes.kept(JOB)
    changes.kept(NEWER)
    assert changes.take(100) == {KEY: NEWER}


def test_a_job_that_goes_while_it_is_written_is_struck():
    changes = Changes()
    changes.kept(JOB)
    batch = changes.take(100)
    changes.gone(KEY)
    changes.written(batch)
    assert changes.take(100) == {KEY: None}


def test_a_job_that_comes_again_while_it_is_struck_is_written_and_can_be_struck_again():
    changes = written(JOB)
    changes.gone(KEY)
    batch = changes.take(100)
    changes.kept(NEWER)
    changes.written(batch)
    batch = changes.take(100)
    assert batch == {KEY: NEWER}
    changes.written(batch)
    changes.gone(KEY)
    assert changes.take(100) == {KEY: None}


def test_what_was_struck_needs_no_striking_again():
    changes = written(JOB)
    changes.gone(KEY)
    changes.written(changes.take(100))
    changes.gone(KEY)
    assert changes.take(100) == {}


def test_what_failed_is_written_again_unless_it_has_changed():
    changes = Changes()
    changes.kept(JOB)
    changes.kept(job("other"))
    batch = changes.take(100)
    changes.gone(KEY)
    changes.failed(batch)
    assert changes.take(100) == {KEY: None, job("other").pending_key: job("other")}


def test_batches_are_bounded_and_the_oldest_come_first():
    changes = Changes()
    for torrent in "abc":
        changes.kept(job(torrent))
    assert list(changes.take(2).values()) == [job("a"), job("b")]
    assert len(changes) == 1


def test_beginning_again_writes_what_is_not_there_and_strikes_only_what_is():
    changes = written(JOB, job("gone"))
    changes.gone(job("gone").pending_key)
    changes.begin_again(set(), [JOB])
    assert changes.take(100) == {KEY: JOB}


def test_beginning_again_leaves_alone_what_is_there():
    changes = Changes()
    changes.found(KEY)
    changes.begin_again({KEY}, [JOB])
    assert changes.take(100) == {}
    changes.gone(KEY)
    assert changes.take(100) == {KEY: None}
