from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what would be deselected anyway: to collect it alone, torch is imported."""
    if config.option.markexpr != "not thorough" or collection_path.suffix != ".py":
        return None
    return True if "pytestmark = pytest.mark.thorough" in collection_path.read_text() else None
