from typing import Any

import pytest
from docparser_api.quantity import Quantity, whole_number
from pydantic import TypeAdapter, ValidationError

ADAPTER: TypeAdapter[str] = TypeAdapter(Quantity)


@pytest.mark.parametrize(
    ("given", "text"),
    [("500m", "500m"), ("4Gi", "4Gi"), (2, "2"), (0.5, "0.5"), ("1.5", "1.5"), ("1e3", "1e3")],
)
def test_an_amount_is_text(given: Any, text: str) -> None:
    assert ADAPTER.validate_python(given) == text


@pytest.mark.parametrize("given", ["-1", -1, "4 Gi", "Gi", "", "1Gib", True, None, "1" * 33])
def test_what_is_no_amount_is_refused(given: Any) -> None:
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(given)


@pytest.mark.parametrize(
    ("quantity", "number"),
    [
        ("2", 2),
        ("1500m", 2),
        ("4e3", 4000),
        ("3Ki", 3072),
        ("1.5G", 1_500_000_000),
        ("80Gi", 80 * 1024**3),
        ("1Ei", 1024**6),
    ],
)
def test_an_amount_is_a_number(quantity: str, number: int) -> None:
    assert whole_number(quantity) == number
