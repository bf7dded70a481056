"""Events for runs: one when a run begins, one when it went well. That one failed is told by the condition Degraded."""

from forebay_operator.body import Body


def run_changes(old: Body, new: Body) -> list[tuple[str, str]]:
    """Reasons and messages, by the old and the new status; empty for statuses of other kinds."""
    before, after = old.get("lastRun", {}), new.get("lastRun", {})
    if not after:
        return []
    changes = []
    if after["name"] != before.get("name"):
        changes.append(("RunStarted", f"{after['name']} was started by {after['trigger']}"))
    if after["state"] == "Succeeded" and (before.get("name"), before.get("state")) != (after["name"], "Succeeded"):
        changes.append(("RunSucceeded", f"{after['name']} went well: {_figures(after)}"))
    return changes


def _figures(run: Body) -> str:
    said = [f"{name} {value}" for name, value in run.get("figures", {}).items() if not isinstance(value, dict)]
    return ", ".join(said) or "it gave no figures"
