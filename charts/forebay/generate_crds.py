"""Generate files/crds, the custom resource definitions, from services/forebay/api.

Usage: generate_crds.py [--check]

With --check nothing is written: the exit status is 1, with a list of the files, when what is there is not current.
"""

import argparse
import sys
from pathlib import Path

import yaml

from forebay.api.crds import definition
from forebay.api.v1alpha1 import KINDS

TARGET = Path(__file__).with_name("files") / "crds"
HEADER = "# Made by charts/forebay/generate_crds.py from services/forebay/api; change those, then run `make crds`.\n"


def main() -> None:
    """Write the generated files, or compare with them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is not current")
    wanted = generated()
    present = {path.name: path.read_text() for path in TARGET.glob("*")}
    if not parser.parse_args().check:
        write(wanted, present)
    elif names := [name for name in sorted(wanted | present) if wanted.get(name) != present.get(name)]:
        sys.exit("\n".join([*names, "are not current. Run `make crds` and commit the result."]))


def generated() -> dict[str, str]:
    """Text of each file by its name."""
    definitions = [definition(kind) for kind in KINDS.values()]
    return {f"{each['metadata']['name']}.yaml": HEADER + text(each) for each in definitions}


def text(body: dict[str, object]) -> str:
    """An object as YAML, in the order in which it was made."""
    return yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=120)


def write(wanted: dict[str, str], present: dict[str, str]) -> None:
    """Make the files of the target the wanted ones."""
    TARGET.mkdir(parents=True, exist_ok=True)
    for name in present.keys() - wanted.keys():
        (TARGET / name).unlink()
    for name, content in wanted.items():
        (TARGET / name).write_text(content)


if __name__ == "__main__":
    main()
