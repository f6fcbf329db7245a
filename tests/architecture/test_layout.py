"""What the layout of the repository promises."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("crds", "docs_site", "operator", "plugin", "runtime", "tests", "examples", ".")


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_top_folder_is_no_package(folder: str) -> None:
    # A package named `operator` would hide the standard library's module of that name.
    assert not (ROOT / folder / "__init__.py").exists()


def test_the_standard_operator_is_not_hidden() -> None:
    code = "import operator; operator.eq; import collections"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert done.returncode == 0


def test_the_checked_in_crd_is_the_generated_one() -> None:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "crds" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    checked_in = (ROOT / "crds" / "docparserdeployments.yaml").read_text()
    assert module.crd_yaml() == checked_in, "run `make generate`"


def test_the_import_contracts_are_kept() -> None:
    lint = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run(
        [lint, "--no-cache"], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
