import pytest
from docparser_runtime.tasks.pace import seconds_until_room


@pytest.mark.parametrize(
    ("pages", "rate", "expected"),
    [
        pytest.param(1000, 10.0, 10, id="a tenth of what waits"),
        pytest.param(1001, 10.0, 11, id="rather a little later"),
        pytest.param(3, 10.0, 1, id="never at once"),
        pytest.param(10**9, 1.0, 3600, id="an hour at most"),
        pytest.param(1000, 0.0, 30, id="nothing was read lately"),
    ],
)
def test_seconds_until_room(pages: int, rate: float, expected: int) -> None:
    assert seconds_until_room(pages, rate) == expected
