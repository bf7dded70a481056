"""Ready of a Compaction: its runs are started as it says."""

from forebay.api.v1alpha1 import CompactionSpec
from forebay_operator.conditions.condition import FALSE, TRUE, Verdict
from forebay_operator.conditions.fault import Fault


def compaction_ready(spec: CompactionSpec | None, fault: Fault | None) -> Verdict:
    """What is in the way, or what starts runs. `spec` may be None, where it can't be read, with a fault alone."""
    if fault or spec is None:
        reason, message = fault or Fault("Invalid", "the spec can't be read")
        return Verdict(FALSE, reason, message)
    if spec.suspend:
        return Verdict(TRUE, "Suspended", "no run is started; set spec.suspend to false to go on")
    if spec.schedule:
        return Verdict(TRUE, "Scheduled", "runs start by the schedule")
    if spec.threshold:
        return Verdict(TRUE, "Watching", "a run starts when what is spilled for a peer has the size of spec.threshold")
    return Verdict(TRUE, "RunsOnce", "a run starts once for each change of the spec")
