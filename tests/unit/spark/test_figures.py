import json

from forebay_spark.figures import LIMIT, Figures, line, publish


def test_the_line_is_one_object_with_the_job_and_its_figures() -> None:
    text = line("compact-spill", Figures({"entriesIn": 2, "dropped": {"duplicate": 1}}))
    assert json.loads(text) == {"job": "compact-spill", "figures": {"entriesIn": 2, "dropped": {"duplicate": 1}}}
    assert "\n" not in text


def test_failures_stand_beside_the_figures() -> None:
    said = json.loads(line("compact-spill", Figures({"entriesIn": 2}, ("peer: promoted",))))
    assert said == {"job": "compact-spill", "figures": {"entriesIn": 2}, "failures": ["peer: promoted"]}


def test_failures_that_find_no_room_are_counted() -> None:
    text = line("compact-spill", Figures({"entriesIn": 2}, [f"peer{number}: promoted" for number in range(1000)], 7))
    assert len(text.encode()) <= LIMIT
    said = json.loads(text)
    assert said["failures"][0] == "peer0: promoted"
    assert len(said["failures"]) + said["failuresLeft"] == 1007


def test_it_is_printed_and_left_in_a_file(tmp_path, capsys) -> None:
    publish('{"job": "x"}', tmp_path / "figures")
    assert capsys.readouterr().out == '{"job": "x"}\n'
    assert (tmp_path / "figures").read_text() == '{"job": "x"}'


def test_the_file_holds_no_more_than_a_termination_message_may(tmp_path) -> None:
    publish("x" * 2 * LIMIT, tmp_path / "figures")
    assert (tmp_path / "figures").stat().st_size == LIMIT
