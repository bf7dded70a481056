from forebay.runtime import Degradation
from forebay_operator.conditions.degraded import degraded

from .known import SILENT, SPILL_AWAY, view


def test_false_at_full_strength():
    assert degraded([view()]) == ("False", "AsExpected", "at full strength")


def test_true_by_what_the_service_does_without():
    assert degraded([view(degradations=[SPILL_AWAY])]) == (
        "True",
        "SpillUnavailable",
        "SpillUnavailable: Redis is away",
    )


def test_several_are_told_under_the_first():
    full = Degradation("DiskFull", "free space")
    verdict = degraded([view(degradations=[SPILL_AWAY, full]), view(degradations=[SPILL_AWAY])])
    assert verdict[1:] == ("SpillUnavailable", "SpillUnavailable: Redis is away; DiskFull: free space")


def test_of_many_children_the_first_are_told_by_name():
    disabled = [Degradation("ForwarderDisabled", "it is away", "Forwarder", f"f{number}") for number in range(7)]
    message = (
        "ForwarderDisabled: f0: it is away, f1: it is away, f2: it is away, f3: it is away, f4: it is away and 2 more"
    )
    assert degraded([view(degradations=disabled)]) == ("True", "ForwarderDisabled", message)


def test_what_ends_by_itself_gives_the_reason_only_when_alone():
    held = Degradation("DeletionHeld", "bodies are kept")
    assert degraded([view(degradations=[held])])[1] == "DeletionHeld"
    assert degraded([view(degradations=[held, SPILL_AWAY])])[1] == "SpillUnavailable"


def test_unreadable_certificates_are_one():
    unreadable = Degradation("CertificatesUnreadable", "tls.key is not the key of tls.crt; the last good ones stay")
    assert degraded([view(degradations=[unreadable])])[:2] == ("True", "CertificatesUnreadable")


def test_unknown_while_no_pod_answers():
    assert degraded([SILENT])[:2] == degraded([])[:2] == ("Unknown", "ServiceUnreachable")
