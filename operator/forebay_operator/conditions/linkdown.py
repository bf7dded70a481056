"""LinkDown: no message can take a link, for no router at the other end is reached."""

from collections.abc import Sequence

from forebay.pb.router.v1 import router_pb2 as pb
from forebay_operator.conditions.condition import FALSE, TRUE, UNKNOWN, Verdict

UNREACHABLE = Verdict(UNKNOWN, "ServiceUnreachable", "the routers that make the link do not answer")
NOT_TRIED = Verdict(UNKNOWN, "NotTried", "no router has made it yet, or tried in vain")


def link_down(found: Sequence[pb.LinkStatus], is_answered: bool) -> Verdict:
    """`found` is the link in each pod that has tried it; `is_answered`: a pod of its Router answers."""
    if not is_answered:
        return UNREACHABLE
    tried = [each for each in found if not each.suspended]
    down = [each.problem for each in tried if not each.up]
    if not tried:
        return _untried(is_suspended=bool(found))
    if len(down) == len(tried):
        return Verdict(TRUE, "NotReached", f"{down[0]}; it is tried again and again")
    if down:
        message = f"{len(tried) - len(down)} of {len(tried)} pods have it; the others send by them: {down[0]}"
        return Verdict(FALSE, "UpInPart", message)
    return Verdict(FALSE, "Up", "messages can take it")


def _untried(*, is_suspended: bool) -> Verdict:
    if is_suspended:
        return Verdict(FALSE, "Suspended", "it is not to be up, by its own spec.suspended")
    return NOT_TRIED
