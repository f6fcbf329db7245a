from typing import Any

import pytest
from docparser_api.quantity import Quantity
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
