"""YAML read strictly, with lines."""

import pytest

from forebay.api.document import documents
from forebay.api.errors import ManifestError


def read(text):
    return [document.value for document in documents("f.yaml", text)]


def test_documents_of_a_file():
    assert read("a: 1\n---\n---\n# nothing\n---\nb: [x, 2.5, true, null, ~]\n") == [
        {"a": 1},
        {"b": ["x", 2.5, True, None, None]},
    ]


def test_empty_file_has_none():
    assert read("") == []


def test_date_stays_text():
    assert read("a: 2026-01-01") == [{"a": "2026-01-01"}]


def test_lines_are_those_of_the_file():
    [_, document] = documents("f.yaml", "x: 1\n---\na:\n  b:\n  - c: 1\n  - d: 2\n")
    assert document.place(("a", "b", 1, "d")) == "f.yaml:6"


def test_place_of_a_missing_value_is_what_surrounds_it():
    [document] = documents("f.yaml", "a:\n  b: 1\n")
    assert document.place(("a", "c", "d")) == "f.yaml:1"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("a: 1\nb:\n  c: 1\n  c: 2\n", "f.yaml:4: b.c: is given twice; remove one", id="repeated key"),
        pytest.param("a: &x [1]\nb: *x\n", "f.yaml:2: b: is an alias; write the value out", id="alias"),
        pytest.param("a: &x\n  b: *x\n", "f.yaml:2: a.b: is an alias; write the value out", id="recursive alias"),
        pytest.param(
            "\non: 1\n",
            "f.yaml:2: has a key in line 2 that is no text; put it between quotes",
            id="key that is no text",
        ),
        pytest.param("a: {[1]: 2}\n", "f.yaml:1: a: has a key in line 1 that is no text", id="key that is a list"),
        pytest.param(
            "a: !!python/name:os.system\n", "f.yaml:1: a: has the tag tag:yaml.org,2002:python/name", id="tag"
        ),
        pytest.param("a: !!set {b}\n", "f.yaml:1: a: has the tag tag:yaml.org,2002:set; give plain text", id="set"),
        pytest.param("a: !!int x\n", "f.yaml:1: a: does not fit its tag; give plain", id="number that is none"),
        pytest.param("a: !!bool x\n", "f.yaml:1: a: does not fit its tag; give plain", id="truth value that is none"),
        pytest.param("a: [1\nb: }\n", "f.yaml:2: is no YAML: ", id="syntax"),
        pytest.param("a: \x01\n", "f.yaml: is no YAML: unacceptable character", id="control character"),
        pytest.param("[" * 60 + "]" * 60, "is nested too deeply; give at most 50 levels", id="deep"),
        pytest.param("[" * 100_000, "f.yaml:1: is no YAML: ", id="very deep"),
        pytest.param("#" * (4 * 1024**2 + 1), "f.yaml: has 4,194,305 characters; split it", id="long"),
    ],
)
def test_what_resources_are_not_made_of_is_refused(text, problem):
    with pytest.raises(ManifestError) as caught:
        read(text)
    assert problem in str(caught.value)


def test_values_are_not_quoted_where_they_may_be_secret():
    with pytest.raises(ManifestError) as caught:
        read("password: !!int hunter2\n")
    assert "hunter2" not in str(caught.value)
