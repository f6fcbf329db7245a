"""What the Helm chart repeats is what stands elsewhere; its values are all described."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

CHARTS = Path(__file__).parents[2] / "charts"
CHART = CHARTS / "docparser-operator"
Schema = dict[str, Any]


def generated() -> dict[Path, str]:
    """Return what `make generate` would write into the chart."""
    spec = importlib.util.spec_from_file_location("chart_files", CHARTS / "chart_files.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[Path, str] = module.contents()
    return found


@pytest.mark.parametrize("path", generated(), ids=lambda path: path.name)
def test_a_copy_is_what_it_was_made_from(path: Path) -> None:
    assert path.read_text() == generated()[path], "run `make generate`"


def blocks(schema: Schema, values: Any, path: str = "") -> list[tuple[str, Schema, Any]]:
    """Return the blocks of the schema that name their fields, each with its default values."""
    if "properties" not in schema:
        return []
    found = [(path, schema, values)]
    for name, below in schema["properties"].items():
        found += blocks(below, (values or {}).get(name), f"{path}.{name}")
    return found


BLOCKS = blocks(
    json.loads((CHART / "values.schema.json").read_text()),
    yaml.safe_load((CHART / "values.yaml").read_text()),
)


@pytest.mark.parametrize(("path", "schema", "values"), BLOCKS, ids=[b[0] or "." for b in BLOCKS])
def test_every_value_has_a_default_and_an_unknown_one_is_refused(
    path: str, schema: Schema, values: Any
) -> None:
    assert schema["additionalProperties"] is False
    # Helm itself adds `global` to whatever a chart is given.
    assert set(schema["properties"]) - {"global"} == set(values), path


def test_the_chart_and_the_operator_have_one_version() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["version"] == chart["appVersion"]
    project = (CHARTS.parent / "operator/pyproject.toml").read_text()
    assert f'version = "{chart["appVersion"]}"' in project
