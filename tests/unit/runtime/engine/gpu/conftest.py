import os
from pathlib import Path

import pytest

# Triton reads it when it is first imported, and torch's friends do that before any test asks.
os.environ["TRITON_INTERPRET"] = "1"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what would be deselected anyway: to collect it alone, torch is imported."""
    if config.option.markexpr != "not thorough" or collection_path.suffix != ".py":
        return None
    return True if "pytestmark = pytest.mark.thorough" in collection_path.read_text() else None
