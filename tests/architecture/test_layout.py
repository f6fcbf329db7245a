"""The shape of the repository: folders, generated files, imports, documents."""

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


def test_no_top_level_folder_is_a_package() -> None:
    # `operator/__init__.py` would shadow the standard library's module.
    assert not list(REPOSITORY.glob("*/__init__.py"))


def test_the_crd_is_what_the_types_say() -> None:
    script = REPOSITORY / "crds/generate.py"
    made = subprocess.run([sys.executable, script], check=True, capture_output=True, text=True)
    kept = (REPOSITORY / "crds/docparserdeployments.yaml").read_text()
    assert made.stdout == kept, "run `make generate`"


def test_import_contracts_hold() -> None:
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([program], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.parametrize("path", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_documents_name_files_that_exist(path: str) -> None:
    text = (REPOSITORY / path).read_text()
    named = {word.strip("`()[],.:;") for word in text.replace("](", " ").split()}
    folders = ("crds/", "operator/", "runtime/", "charts/", "examples/", "tests/", "docs/")
    missing = [
        word
        for word in named
        if word.startswith(folders) and not list(REPOSITORY.glob(word.split("#")[0].rstrip("/")))
    ]
    assert not missing
