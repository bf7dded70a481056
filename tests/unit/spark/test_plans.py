from forebay.spill.compactionplan import Input, Plan
from forebay.spill.keys import Kind
from forebay_spark.plans import parse_plan, text_of


def test_a_plan_survives_being_text() -> None:
    inputs = (
        Input(Kind.BACKLOG, 3, "forebay:{outfeed/uid/ü}:B:3", 10, 800, 17, b"1700000000000-0", b"1700000000009-3"),
        Input(Kind.DEFERRED, 4, "forebay:{outfeed/uid/ü}:D:4", 0, 0, 18, b"", b""),
    )
    plan = Plan("ü", 7, 4, inputs)
    assert parse_plan(text_of(plan)) == plan
    assert parse_plan(text_of(plan)).inputs[0].kind is Kind.BACKLOG
