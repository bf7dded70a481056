"""Announces go on to other trackers: a bounded queue, a schedule of retries, and workers that carry the jobs out."""
