"""Pages without scripts: whole, escaped, with a line of heads where there are any."""

import re

import pytest

from forebay.runtime.htmlpage import REFRESH, html_page, html_table


def test_a_page_asks_again_by_itself_and_lets_nothing_else_in():
    page = html_page("A & B", "<p>x</p>\n")
    assert f'<meta http-equiv="refresh" content="{REFRESH}">' in page
    assert "default-src 'none'" in page
    assert "<title>A &amp; B</title>" in page
    assert page.endswith("<h1>A &amp; B</h1>\n<p>x</p>\n</body>\n</html>\n")


def test_cells_are_escaped_and_whole_numbers_grouped():
    table = html_table("<t>", ("n", ">c"), [["<i>", 12345]])
    assert "<caption>&lt;t&gt;</caption>" in table
    assert '<tr><th scope="row">&lt;i&gt;</th><td class="number">12,345</td></tr>' in table


@pytest.mark.parametrize(
    ("head", "attributes", "text"),
    [("x", "", "x"), (">x", ' class="number"', "x"), ("#x", ' class="hash"', "x"), ("x>", "", "x&gt;")],
)
def test_a_mark_before_a_head_tells_what_its_column_holds(head, attributes, text):
    table = html_table("t", ("first", head), [["a", "b"]])
    assert f'<th scope="col"{attributes}>{text}</th>' in table
    assert f"<td{attributes}>b</td>" in table


def test_a_table_whose_heads_are_empty_has_no_line_of_them():
    table = html_table("t", ("", ">"), [["a", 1]])
    assert "thead" not in table
    assert re.search(r'<th scope="row">a</th><td class="number">1</td>', table)
