from forebay_spark.columns import COLUMNS, Columns, Origin
from spillcontents import token

TOKEN = token("a", seq=3, arrival=1700000000007, tries=2)
IDS, ENTRIES = [b"1700000000009-0", b"1700000000009-1"], [TOKEN, b"rubbish"]


def test_a_token_fills_every_column() -> None:
    row = Columns(Origin("peer", "B", 5), IDS, ENTRIES).batch([*COLUMNS]).to_pylist()[0]
    assert row == {
        "owner": "peer",
        "kind": "B",
        "segment": 5,
        "appended": 1700000000009,
        "arrival": 1700000000007,
        "seq": 3,
        "size": 3000,
        "tries": 2,
        "message_id": b"<a@news.example>",
        "entry": TOKEN,
    }


def test_what_is_no_token_says_nothing_of_an_article() -> None:
    row = Columns(Origin("peer", "B", 5), IDS, ENTRIES).batch([*COLUMNS]).to_pylist()[1]
    assert row["entry"] == b"rubbish"
    assert [row[name] for name in ("arrival", "seq", "size", "tries", "message_id")] == [None] * 5


def test_only_columns_that_were_asked_for_are_made() -> None:
    assert Columns(Origin("peer", "B", 5), IDS, ENTRIES).batch(["entry", "kind"]).schema.names == ["entry", "kind"]
