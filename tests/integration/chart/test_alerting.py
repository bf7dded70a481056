"""When the alerts about peers fire and when they do not, as Prometheus' own promtool has it."""

import shutil
import subprocess
from dataclasses import dataclass
from typing import Any

import pytest
import yaml

from conftest import missing
from helmchart import CHART

ALERTS = CHART / "files" / "alerts.yaml"
RULES = {rule["alert"]: rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]}
PLACE = {"namespace": "news", "pod": "hub-0", "peer": "b"}
HOUR = 60


@dataclass(frozen=True)
class Case:
    """Samples of each minute, and an alert that they raise or not."""

    alert: str
    series: dict[str, str]
    """Samples in promtool's notation, by name and labels beside those of `PLACE`; in turn if `+` separates them."""
    at: int
    """Minutes after the first."""
    summary: str = ""
    """What the alert says; empty where it does not fire."""
    labels: tuple[tuple[str, str], ...] = ()
    """Its labels beside those of `PLACE` and its severity."""

    def document(self) -> dict[str, Any]:
        """The case as a file of promtool's."""
        return {
            "rule_files": [str(ALERTS)],
            "evaluation_interval": "1m",
            "tests": [
                {
                    "interval": "1m",
                    "input_series": [{"series": series(name), "values": text} for name, text in self.series.items()],
                    "alert_rule_test": [
                        {"eval_time": f"{self.at}m", "alertname": self.alert, "exp_alerts": self.expected()}
                    ],
                }
            ],
        }

    def expected(self) -> list[dict[str, Any]]:
        if not self.summary:
            return []
        rule = RULES[self.alert]
        labels = PLACE | dict(self.labels) | rule["labels"]
        annotations = {"summary": self.summary, "runbook": rule["annotations"]["runbook"]}
        return [{"exp_labels": labels, "exp_annotations": annotations}]


def series(name: str) -> str:
    """The full name of a series; `name` may bring labels of its own."""
    bare, _, own = name.removesuffix("}").partition("{")
    labels = [f'{label}="{value}"' for label, value in PLACE.items()]
    return f"{bare}{{{','.join([*labels, *filter(None, [own])])}}}"


def answers(rejected: str, accepted: str) -> dict[str, str]:
    return {"forebay_outfeed_rejected_total": rejected, "forebay_outfeed_accepted_total": accepted}


JUMP = "b rejects 10 articles a second of news/hub-0."
EVERY_MINUTE = f"0+600x{3 * HOUR}"
"""10 a second."""

CASES = {
    "rejections, as ever": Case("ForebayRejectionsJump", answers(EVERY_MINUTE, EVERY_MINUTE), 3 * HOUR),
    "rejections, ten times the share of before": Case(
        "ForebayRejectionsJump", answers(f"0+6x{2 * HOUR} 1320+600x60", EVERY_MINUTE), 2 * HOUR + 17, JUMP
    ),
    "rejections, for 50 minutes now": Case(
        "ForebayRejectionsJump", answers(f"0+6x{2 * HOUR} 1320+600x60", EVERY_MINUTE), 2 * HOUR + 50, JUMP
    ),
    "rejections, of a new peer": Case("ForebayRejectionsJump", answers("0+600x60", "0x60"), 50, JUMP),
    "rejections, after hours without articles": Case(
        "ForebayRejectionsJump", answers(f"7x{2 * HOUR} 607+600x60", f"9x{3 * HOUR}"), 2 * HOUR + 50, JUMP
    ),
    "rejections, for two minutes only": Case(
        "ForebayRejectionsJump", answers(f"0+6x{2 * HOUR} 1320+600x1 1920+6x20", EVERY_MINUTE), 2 * HOUR + 17
    ),
    "rejections, three times as many of three times as many": Case(
        "ForebayRejectionsJump",
        answers(f"0+60x{2 * HOUR} 7380+180x20", f"0+600x{2 * HOUR} 73800+1800x20"),
        2 * HOUR + 17,
    ),
    "rejections, one in fifty": Case("ForebayRejectionsJump", answers("0+12x30", "0+600x30"), 20),
    "rejections, one in half a minute": Case("ForebayRejectionsJump", answers("0+2x30", "0x30"), 20),
    "TLS fails": Case(
        "ForebayPeerNotSecured",
        {'forebay_outfeed_peer_error{reason="TLS_FAILED"}': "1x10"},
        6,
        "The connection of news/hub-0 to b can't be secured.",
        (("reason", "TLS_FAILED"),),
    ),
    "TLS fails for a moment": Case(
        "ForebayPeerNotSecured", {'forebay_outfeed_peer_error{reason="TLS_FAILED"}': "1x3 stale"}, 6
    ),
    "it is not TLS that fails": Case(
        "ForebayPeerNotSecured", {'forebay_outfeed_peer_error{reason="CONNECT_FAILED"}': "1x10"}, 6
    ),
    "the login is refused": Case(
        "ForebayPeerLoginRefused",
        {'forebay_outfeed_peer_error{reason="AUTH_FAILED"}': "1x10"},
        6,
        "b refuses the login of news/hub-0.",
        (("reason", "AUTH_FAILED"),),
    ),
    "not connected": Case(
        "ForebayPeerNotConnected",
        {"forebay_outfeed_connections": "0x20", "forebay_outfeed_queued": "5x20"},
        16,
        "news/hub-0 has articles for b and no connection.",
    ),
    "not connected, for it is paused": Case(
        "ForebayPeerNotConnected",
        {
            "forebay_outfeed_connections": "0x20",
            "forebay_outfeed_queued": "5x20",
            'forebay_outfeed_peer_state{state="paused"}': "1x20",
        },
        16,
    ),
    "an article waits": Case(
        "ForebayOldestArticleWaits",
        {
            'forebay_outfeed_oldest_age_seconds{place="backlog"}': "25200x20",
            'forebay_outfeed_oldest_age_seconds{place="deferred"}': "60x20",
        },
        16,
        "An article for b has waited for 7h 0m 0s.",
    ),
    "an article waits in the log, as a delay wants": Case(
        "ForebayOldestArticleWaits", {'forebay_outfeed_oldest_age_seconds{place="log"}': "25200x20"}, 16
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_alert_fires_when_it_should(case, tmp_path):
    promtool = shutil.which("promtool")
    if not promtool:
        missing("needs promtool: apt-get install --no-install-recommends prometheus")
    path = tmp_path / "case.yaml"
    path.write_text(yaml.safe_dump(case.document()))
    done = subprocess.run([promtool, "test", "rules", path], capture_output=True, text=True, timeout=60, check=False)
    assert not done.returncode, done.stdout + done.stderr


def test_promtool_finds_no_fault_in_any_rule():
    promtool = shutil.which("promtool")
    if not promtool:
        missing("needs promtool: apt-get install --no-install-recommends prometheus")
    done = subprocess.run([promtool, "check", "rules", ALERTS], capture_output=True, text=True, timeout=60, check=False)
    assert not done.returncode, done.stdout + done.stderr
