"""Which documents the arguments of `parse` mean."""

import os
from pathlib import Path

import pytest
from docparser_runtime.batch.sources import SourceError, found


def tree(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    return root


def names(*arguments: object) -> list[str]:
    return [source.name for source in found([str(one) for one in arguments]).sources]


def test_a_tree_keeps_its_shape(tmp_path: Path) -> None:
    tree(tmp_path, "b.PDF", "a/c.png", "a/d/e.tiff", "a/notes.txt", ".hidden/x.pdf", ".y.pdf")
    assert names(tmp_path) == ["b.PDF", "a/c.png", "a/d/e.tiff"]
    assert found([str(tmp_path)]).passed_over == 1


def test_what_would_never_end_is_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.pdf")
    (tmp_path / "broken.pdf").symlink_to(tmp_path / "nowhere")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "real.pdf").write_bytes(b"x")
    (tmp_path / "link.pdf").symlink_to(tmp_path / "real.pdf")
    assert names(tmp_path) == ["link.pdf", "real.pdf"]


def test_a_file_that_is_named_is_read_whatever_its_name(tmp_path: Path) -> None:
    tree(tmp_path, "scan", "a.pdf")
    assert names(tmp_path / "scan", tmp_path / "a.pdf", "-") == ["scan", "a.pdf", "stdin"]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.org/a/report.pdf?token=canary", "report.pdf"),
        ("http://user:canary@example.org/a%20b.pdf", "a_b.pdf"),
        ("https://example.org/", "example.org"),
        ("https://example.org/..%2F..%2Fetc%2Fpasswd", "_.._etc_passwd"),
        ("https://example.org/" + "a" * 500, "a" * 150),
        ("HTTPS://example.org/...", "document"),
    ],
)
def test_a_url_gives_a_harmless_name(url: str, name: str) -> None:
    (source,) = found([url]).sources
    assert source.is_url
    assert source.name == name


def test_two_documents_must_not_share_an_output(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.pdf", "b/x.pdf")
    with pytest.raises(SourceError, match="same output"):
        names(tmp_path / "a", tmp_path / "b")
    assert names(tmp_path / "a", tmp_path / "a" / "x.pdf") == ["x.pdf"]


def test_a_place_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="No such file"):
        names(tmp_path / "nothing")


def test_a_directory_without_documents_is_told(tmp_path: Path) -> None:
    tree(tmp_path, "a.txt")
    with pytest.raises(SourceError, match="no documents"):
        names(tmp_path)
