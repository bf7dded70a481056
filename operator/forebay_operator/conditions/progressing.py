"""Progressing: a change of a service is under way, and needs nobody's help."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forebay_operator.conditions.answers import answering
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN, Verdict
from forebay_operator.conditions.workload import Workload

if TYPE_CHECKING:
    from forebay_operator.pods import PodView


def progressing(workload: Workload, views: Sequence["PodView"], revision: int, is_blocked: bool) -> Verdict:
    """`revision` is that of the stored configuration; `is_blocked`: nothing goes on before somebody acts."""
    if is_blocked or workload.trouble:
        return Verdict(FALSE, "Blocked", "nothing goes on until the cause is mended that Ready tells")
    if workload.is_rolling or workload.outdated:
        return Verdict(TRUE, "Rolling", "pods of an older template are being replaced")
    if lacking := workload.lacking:
        return Verdict(TRUE, lacking.reason, lacking.message)
    if len(answering(views)) < len(views):
        return Verdict(UNKNOWN, "ServiceUnreachable", "a pod does not answer: what it has in force can't be told")
    if any(view.revision < revision for view in views):
        return Verdict(TRUE, "Applying", "the newest configuration is being sent to the pods")
    return Verdict(FALSE, "UpToDate", "all pods have the newest configuration")
