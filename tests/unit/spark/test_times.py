from forebay_spark.times import times_of


def test_the_first_parts_of_ids_are_times() -> None:
    assert times_of([b"1700000000000-0", b"1700000000000-17", b"5-18446744073709551615"]).tolist() == [
        1700000000000,
        1700000000000,
        5,
    ]


def test_no_ids_have_no_times() -> None:
    assert times_of([]).tolist() == []
