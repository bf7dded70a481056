from forebay_spark.progress import progress


def test_the_end_is_told_even_of_a_short_job(capsys) -> None:
    done = [0]
    with progress("owners", 3, lambda: done[0]):
        done[0] = 3
    assert capsys.readouterr().err == "3 of 3 owners\n"
