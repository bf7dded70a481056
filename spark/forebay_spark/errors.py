"""Errors of the jobs.

JobError                  a job cannot be run as asked
├── BusyError             another run is at it
├── AbortedError          what was to be replaced has changed meanwhile
├── JavaMissingError      there is no Java to run Spark on
├── SparkFailedError      Spark could not do what it was told
└── OptionError           an argument, or an option of a data source, cannot be used
"""

from forebay.runtime import ForebayError


class JobError(ForebayError):
    """Base of all errors of this package."""


class BusyError(JobError):
    """Another run writes to the same place; the message names it."""


class AbortedError(JobError):
    """What was to be replaced has changed meanwhile, so nothing was replaced; the message tells how."""


class JavaMissingError(JobError):
    """There is no Java to run Spark on; the message names the places that were looked at, and the remedy."""


class SparkFailedError(JobError):
    """Spark could not do what it was told; the message has the cause, Spark's log the rest."""


class OptionError(JobError, ValueError):
    """An argument, or an option of a data source, cannot be used; the message names it and what it takes."""
