import pytest

from forebay.cli.kubectl.cluster import Inventory
from forebay.cli.kubectl.tree import trees
from forebay.cli.kubectl.treeview import figures, plain, print_trees, rows

from .bodies import NOW, condition, outfeed, peerfeed, pod, resource

READY = condition("Ready", reason="Applied")


def hub(*peers):
    spill = resource("Spill", "main", READY, backlog=7)
    return trees(Inventory([spill, outfeed("hub", READY, peers="2/2", revision=4), *peers], [pod()]))


def test_a_row_a_resource_and_pod_below_what_they_belong_to():
    found = [*rows(hub(peerfeed("east", READY), peerfeed("west", READY, connections=2)), NOW)]
    assert found == [
        ("Spill/main", "True", "Applied", "3h", "backlog 7  services 0"),
        ("Outfeed/hub", "True", "Applied", "3h", "peers 2/2  revision 4"),
        ("├─ Pod/hub-outfeed-0", "True", "Running", "3h", ""),
        ("├─ Peerfeed/east", "True", "Applied", "3h", ""),
        ("└─ Peerfeed/west", "True", "Applied", "3h", "connections 2"),
    ]


@pytest.mark.parametrize(
    ("reason", "text"),
    [("UpToDate", "revision 4 (in force)"), ("Applying", "revision 4 (not in force yet)"), ("Rolling", "revision 4")],
)
def test_the_revision_that_was_written_last_may_not_be_in_force_yet(reason, text):
    assert figures(outfeed("hub", READY, condition("Progressing", reason=reason), revision=4)) == text


def test_problems_come_first_each_with_the_next_step(capsys):
    refused = condition("Ready", "False", "Invalid", "spec.groups[0]: has no end")
    print_trees(hub(peerfeed("west", refused)), NOW)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "Peerfeed/west: Ready is False (Invalid): spec.groups[0]: has no end",
        "  next: kubectl describe peerfeed west -n news",
        "",
    ]
    assert lines[3] == "namespace news"


def test_where_all_is_well_the_tree_is_all(capsys):
    print_trees(hub(), NOW)
    assert capsys.readouterr().out.startswith("namespace news\n")


def test_the_plain_form_has_everything():
    found = plain(hub(peerfeed("west", READY))[1], NOW)
    assert (found["kind"], found["name"], found["age"]) == ("Outfeed", "hub", 10800)
    assert found["ready"]["status"] == "True"
    assert found["figures"] == {"peers": "2/2", "revision": 4}
    assert [each["name"] for each in found["pods"]] == ["hub-outfeed-0"]
    assert [each["name"] for each in found["children"]] == ["west"]
