import pytest
from docparser_runtime.errors import InvalidRequest, PageRangeInvalid
from docparser_runtime.page_ranges import LONGEST, PageRange, parse
from hypothesis import given
from hypothesis import strategies as st

spans = st.tuples(st.integers(1, 60), st.none() | st.integers(0, 20)).map(
    lambda span: (span[0], None if span[1] is None else span[0] + span[1])
)


def written(first: int, last: int | None) -> str:
    if last is None:
        return f"{first}-"
    return str(first) if first == last else f"{first}-{last}"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1", [1]),
        ("1-3,7,10-", [1, 2, 3, 7, 10, 11, 12]),
        ("12", [12]),
        ("12-", [12]),
        ("1-", [*range(1, 13)]),
        ("5-5", [5]),
        ("7,1-3", [1, 2, 3, 7]),
        ("2-4,3-5,4", [2, 3, 4, 5]),
        (" 1 , 3 ", [1, 3]),
    ],
)
def test_text_and_pages(text: str, numbers: list[int]) -> None:
    assert parse(text).indexes(12) == tuple(number - 1 for number in numbers)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", ",", "1,", ",1", "1,,2", "0", "0-3", "-", "-3", "3-1", "1-2-3", "1--2", "01"),
        *("+1", "1.5", "1e3", "a", "1;2", "1 2", "1\n", "١", "1-٣", "²", "1–3", "9999999999"),  # noqa: RUF001
        pytest.param("1," * LONGEST, id="too long"),
    ],
)
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        parse(text)


@pytest.mark.parametrize("text", ["13", "1-13", "13-", "1,99", "1-999999999", "999999999-"])
def test_pages_that_the_document_lacks_are_refused(text: str) -> None:
    with pytest.raises(PageRangeInvalid) as raised:
        parse(text).indexes(12)
    assert (raised.value.code, raised.value.status) == ("page_range_invalid", 422)
    assert "12" in raised.value.detail


@given(st.lists(spans, min_size=1, max_size=8))
def test_what_is_written_is_what_is_read(parts: list[tuple[int, int | None]]) -> None:
    found = parse(",".join(written(*part) for part in parts))
    assert found == PageRange(tuple(parts))
    wanted = {
        number
        for first, last in parts
        for number in range(1, 81)
        if first <= number and (last is None or number <= last)
    }
    assert found.indexes(80) == tuple(number - 1 for number in sorted(wanted))


@given(st.text(alphabet="0123456789-, ", max_size=30))
def test_every_text_has_a_meaning_or_is_refused(text: str) -> None:
    try:
        indexes = parse(text).indexes(50)
    except (InvalidRequest, PageRangeInvalid):
        return
    assert indexes
    assert list(indexes) == sorted(set(indexes))
    assert 0 <= indexes[0] <= indexes[-1] < 50
