import base64
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.runtime import ConfigDocument, InvalidArgumentError, Secret
from forebay.runtime import document as documents
from forebay.runtime.errors import FieldError

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
DOCUMENTS = st.builds(
    ConfigDocument,
    st.integers(1, 2**63),
    st.lists(st.dictionaries(TEXTS, VALUES, max_size=3), max_size=3).map(tuple),
    st.dictionaries(TEXTS, st.dictionaries(TEXTS, TEXTS.map(Secret), max_size=2), max_size=2),
)


def packed(content):
    return zlib.compress(json.dumps(content).encode())


@given(DOCUMENTS)
def test_what_is_encoded_is_decoded(document):
    assert documents.decode(document.revision, documents.encode(document)) == document


def test_the_same_content_gives_the_same_octets():
    one = ConfigDocument(1, ({"a": 1, "b": 2},), {"ns/x": {"k": Secret("1")}, "ns/y": {}})
    two = ConfigDocument(2, ({"b": 2, "a": 1},), {"ns/y": {}, "ns/x": {"k": Secret("1")}})
    assert documents.encode(one) == documents.encode(two)


@pytest.mark.parametrize(
    ("data", "field"),
    [
        pytest.param(b"", "document is cut short", id="empty"),
        pytest.param(b"plain", "document is not compressed", id="not-zlib"),
        pytest.param(packed({})[:-2], "document is cut short", id="truncated"),
        pytest.param(packed({}) + b"x", "document is cut short, or has more", id="trailing"),
        pytest.param(zlib.compress(b"{"), "document is not JSON", id="not-json"),
        pytest.param(zlib.compress(b"[" * 100_000), "document is not JSON", id="nested-without-end"),
        pytest.param(packed([]), "document has to be a JSON object", id="no-object"),
        pytest.param(packed({"manifests": {}}), r"document.manifests has", id="manifests-no-list"),
        pytest.param(packed({"manifests": [1]}), r"document.manifests has", id="manifest-no-object"),
        pytest.param(packed({"secrets": []}), r"document.secrets has", id="secrets-no-object"),
        pytest.param(packed({"secrets": {"a/b": 1}}), r"document.secrets\[a/b\] has", id="secret-no-object"),
        pytest.param(packed({"secrets": {"a/b": {"k": "!"}}}), r"secrets\[a/b\].k has", id="no-base64"),
        pytest.param(packed({"secrets": {"a/b": {"k": "/w=="}}}), r"secrets\[a/b\].k has", id="no-utf-8"),
    ],
)
def test_what_cannot_be_read_is_named(data, field):
    with pytest.raises(InvalidArgumentError, match=field) as caught:
        documents.decode(1, data)
    assert caught.value.reason == "INVALID_DOCUMENT"
    assert caught.value.violations[0].field in str(caught.value)


def test_revisions_begin_at_1():
    with pytest.raises(InvalidArgumentError, match="begin at 1"):
        documents.decode(0, packed({}))


def test_a_small_document_cannot_fill_the_memory():
    bomb = zlib.compress(b" " * (documents.INFLATED_LIMIT + 1))
    with pytest.raises(InvalidArgumentError, match="larger than"):
        documents.decode(1, bomb)


def test_no_error_shows_a_secret():
    value = base64.b64encode(b"hunter2").decode()
    broken = zlib.compress(f'{{"secrets": {{"a/b": {{"k": "{value}"}}}}'.encode())
    with pytest.raises(InvalidArgumentError) as caught:
        documents.decode(1, broken)
    assert caught.value.__cause__ is None
    assert value not in str(caught.value)


def test_printing_a_document_shows_no_secret():
    assert "hunter2" not in repr(ConfigDocument(1, (), {"a/b": {"k": Secret("hunter2")}}))


@pytest.mark.parametrize("octets", [15, 65])
def test_a_key_that_is_too_short_or_too_long_is_told_with_its_field(octets):
    document = ConfigDocument(1, secrets={"ns/keys": {"key": Secret("x" * octets)}})
    with pytest.raises(FieldError, match=f"the value has {octets} octets; give 16 to 64") as refused:
        document.referenced_key("ns", "keys", "key", "spec.key")
    assert refused.value.violation.field == "spec.key"


@pytest.mark.parametrize("octets", [16, 64])
def test_a_key_is_what_the_secret_has(octets):
    document = ConfigDocument(1, secrets={"ns/keys": {"key": Secret("x" * octets)}})
    assert document.referenced_key("ns", "keys", "key", "spec.key") == b"x" * octets
