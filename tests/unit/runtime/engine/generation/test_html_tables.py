import pytest
from docparser_runtime.engine.generation.html_tables import MOST_COLUMNS, MOST_SPAN, rows_of
from hypothesis import given, settings
from hypothesis import strategies as st

CELLS = st.text(alphabet="ab &<é", max_size=4).map(lambda text: " ".join(text.split()))


@pytest.mark.parametrize(
    ("html", "rows"),
    [
        ("<table><tr><td>a</td><td>b</td></tr></table>", [["a", "b"]]),
        ("<table><tr><th>a\n b</th><td>c<br>d</td></tr></table>", [["a b", "c d"]]),
        ("<tr><td>&gt; 0 &amp; 1</td></tr>", [["> 0 & 1"]]),
        ("<tr><td>a</td></tr><tr><td>b</td><td>c</td></tr>", [["a", ""], ["b", "c"]]),
        ("<tr><td colspan='2'>a</td></tr><tr><td>b<td>c</tr>", [["a", ""], ["b", "c"]]),
        (
            "<tr><td rowspan=2>a</td><td>b</td></tr><tr><td>c</td></tr><tr><td>d</td></tr>",
            [["a", "b"], ["", "c"], ["d", ""]],
        ),
        (
            '<tr><td>a</td><td rowspan="2">b</td></tr><tr><td>c</td></tr>',
            [["a", "b"], ["c", ""]],
        ),
        ("<td>a</td>", [["a"]]),
        ("<table><tr><td>a</td><td>b", [["a", "b"]]),
        ("<table><tr><td rowsp", []),
        ("<table><caption>a</caption><tr><td>b</td></tr></table>", [["a"], ["b"]]),
        ("<table>\n</table>", []),
        ("<table></table>", []),
        (
            "<tr><td><![if x]>a<!-- b --></td><td><?c?></td></tr>",
            [["<![if x]>a<!-- b -->", "<?c?>"]],
        ),
        ("<tr><td colspan='-3' rowspan='x'>a</td></tr>", [["a"]]),
        ("<tr><td><b>a</b> <sup>2</sup></td></tr>", [["a 2"]]),
    ],
)
def test_rows_of_tables(html: str, rows: list[list[str]]) -> None:
    assert rows_of(html) == rows


def test_claims_beyond_reason_take_no_memory() -> None:
    (row,) = rows_of("<tr>" + "<td colspan='999999999'>a</td>" * 50 + "</tr>")
    assert len(row) == MOST_COLUMNS
    (row,) = rows_of("<tr><td colspan='999999999'>a</td></tr>")
    assert len(row) == MOST_SPAN


@settings(max_examples=12)
@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=4
        )
    )
)
def test_a_table_without_spans_comes_back(rows: list[list[str]]) -> None:
    escaped = [[text.replace("&", "&amp;").replace("<", "&lt;") for text in row] for row in rows]
    html = "".join(
        "<tr>" + "".join(f"<td>{text}</td>" for text in row) + "</tr>" for row in escaped
    )
    assert rows_of(f"<table>{html}</table>") == rows


@settings(max_examples=12)
@given(st.text(alphabet="<>/trdtablehspn='2& ![?-", max_size=60))
def test_no_text_breaks_it(html: str) -> None:
    rows = rows_of("<table><tr><td>" + html)
    assert len({len(row) for row in rows}) <= 1
