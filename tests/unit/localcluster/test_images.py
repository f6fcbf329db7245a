import json
from pathlib import Path

import pytest
from localcluster import images, paths
from localcluster.images import Built, Image


def a_tree(root: Path) -> Path:
    (root / "src" / "__pycache__").mkdir(parents=True)
    (root / "src" / "a.py").write_text("one")
    (root / "src" / "__pycache__" / "a.pyc").write_text("noise")
    return root / "src"


def key(root: Path) -> str:
    return images.content_key([root / "src"], root, "")


def test_the_key_follows_names_and_contents_only(tmp_path: Path) -> None:
    source = a_tree(tmp_path)
    first = key(tmp_path)
    (source / "__pycache__" / "a.pyc").write_text("other noise")
    assert key(tmp_path) == first
    (source / "a.py").write_text("two")
    second = key(tmp_path)
    assert second != first
    (source / "a.py").rename(source / "b.py")
    assert key(tmp_path) not in (first, second)


def test_the_builder_is_part_of_the_key(tmp_path: Path) -> None:
    source = a_tree(tmp_path)
    assert images.content_key([source], tmp_path, "buildah") != images.content_key(
        [source], tmp_path, "docker"
    )


def test_a_missing_input_is_no_file(tmp_path: Path) -> None:
    assert list(images.files(tmp_path / "absent")) == []


def test_sizes_are_told_with_their_limit() -> None:
    built = Built(Image("operator", 120), Path("x.tar"), 121)
    assert json.loads(images.sizes([built])) == {
        "operator": {"added_bytes": 121, "limit_bytes": 120, "within_limit": False}
    }


@pytest.mark.parametrize("image", images.IMAGES, ids=lambda image: image.name)
def test_every_dockerfile_is_hardened(image: Image) -> None:
    text = image.dockerfile.read_text()
    assert "\nUSER 65532:65532\n" in text
    assert "\nARG BASE_IMAGE=python:3.11-slim\n" in text
    assert "uv sync --frozen --no-dev --no-editable" in text


def test_both_images_pin_the_workspaces_uv() -> None:
    pinned = (paths.REPOSITORY / "pyproject.toml").read_text().split('"uv==')[1].split('"')[0]
    for image in images.IMAGES:
        assert f"ARG UV_VERSION={pinned}\n" in image.dockerfile.read_text()
