import pytest

from forebay.cli.revision import next_revision


def test_revisions_begin_at_one_and_rise(tmp_path):
    assert [next_revision(tmp_path) for _ in range(3)] == [1, 2, 3]


def test_a_revision_is_above_the_one_in_force(tmp_path):
    next_revision(tmp_path)
    assert next_revision(tmp_path, above=40) == 41
    assert next_revision(tmp_path) == 42


def test_the_folder_is_made(tmp_path):
    assert next_revision(tmp_path / "a" / "b") == 1


@pytest.mark.parametrize("content", ["", "x", "1.5"])
def test_a_damaged_file_counts_as_none(tmp_path, content):
    (tmp_path / "revision").write_text(content)
    assert next_revision(tmp_path, above=9) == 10
