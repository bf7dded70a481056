"""Generate docs/cli.md from the commands themselves.

Usage: generate_cli.py [--check]

With --check nothing is written: the exit status is 1 when the page is not current.
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from generatedpage import main
from typer.main import get_command

from forebay.cli.kubectl.main import app as plugin
from forebay.cli.main import app

PAGE = Path(__file__).with_name("cli.md")
INTRODUCTION = """\
# The `forebay` command, and `kubectl forebay`

<!-- Made by docs/generate_cli.py from services/forebay/cli; change the commands, then run it. -->

Every command tells about itself with `--help`. Those that print results do so for people, or with `--output json` for
programs: numbers are numbers, durations are seconds, times are UTC. Errors go to standard error with what to do about
them.

| exit status | means |
|---|---|
| 0 | done |
| 1 | not done, or not all of it: an article was rejected, a resource not applied, a file has a fault |
| 2 | the command line is wrong |
| 3 | the service can't be reached now |
| 130 | ended by Ctrl-C |

`forebay --install-completion` teaches the shell (bash, zsh, fish) to complete commands, options and paths.
"""


def page() -> str:
    """The whole page."""
    every = chain(commands("forebay", get_command(app)), commands("kubectl forebay", get_command(plugin)))
    return "\n".join([INTRODUCTION, *(section(name, command) for name, command in every)])


def commands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """All commands below one, by their full names."""
    for word, inner in getattr(command, "commands", {}).items():
        if hasattr(inner, "commands"):
            yield from commands(f"{name} {word}", inner)
        else:
            yield f"{name} {word}", inner


def section(name: str, command: Any) -> str:
    """What there is to know about a command."""
    rows = [row(parameter) for parameter in command.params if parameter.name != "help"]
    table = ["| | meaning | default |", "|---|---|---|", *(f"| {' | '.join(cells)} |" for cells in rows)]
    return "\n".join([f"## {name}\n", f"{paragraphs(command.help)}\n", f"{command.epilog}\n", *table, ""])


def paragraphs(text: str) -> str:
    """A text whose paragraphs are a line each."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def row(parameter: Any) -> tuple[str, str, str]:
    """A parameter: how it is written, what it means, what counts without it."""
    return spelling(parameter), meaning(parameter), default(parameter)


def spelling(parameter: Any) -> str:
    """A parameter as it is written."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar}`"
    value = f" {parameter.metavar}" if parameter.metavar else ""
    return ", ".join(f"`{option}{value}`" for option in parameter.opts)


def meaning(parameter: Any) -> str:
    """What a parameter means, and where else it can be given."""
    variable = f" Also: environment variable `{parameter.envvar}`." if parameter.envvar else ""
    return parameter.help + variable


def default(parameter: Any) -> str:
    """What counts when a parameter is left out."""
    if parameter.required:
        return "required"
    given = parameter.default
    if given in (None, "", False):
        return ""
    if isinstance(given, list):
        return ", ".join(f"`{each}`" for each in given)
    return f"`{given:g}`" if isinstance(given, float) else f"`{given}`"


if __name__ == "__main__":
    main(PAGE, page, Path(__file__), __doc__)
