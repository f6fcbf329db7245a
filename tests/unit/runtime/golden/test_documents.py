"""Which sets of files are golden documents."""

from pathlib import Path

import pytest
from docparser_runtime.golden.documents import GoldenDocument, GoldenError, documents_in


def a_set(directory: Path, *names: str) -> Path:
    for name in names:
        (directory / name).write_bytes(b"content of " + name.encode())
    return directory


def test_pairs_become_documents(tmp_path: Path) -> None:
    a_set(tmp_path, "table__a.png", "table__a.md", "plain.PDF", "plain.md")
    one, other = documents_in(tmp_path)
    assert one == GoldenDocument("plain", "default", tmp_path / "plain.PDF", "content of plain.md")
    assert (other.name, other.layout_class) == ("table__a", "table")
    assert other.content() == b"content of table__a.png"


def test_what_a_volume_holds_besides_is_skipped(tmp_path: Path) -> None:
    a_set(tmp_path, "a__b.png", "a__b.md")
    for name in ("..2026_01_01", "..data", "lost+found"):
        (tmp_path / name).mkdir()
    assert [document.name for document in documents_in(tmp_path)] == ["a__b"]


@pytest.mark.parametrize(
    ("names", "code", "told"),
    [
        ((), "no_documents", ""),
        (("a.png",), "missing_expected", "a.png"),
        (("a.md",), "missing_document", "a.md"),
        (("a.png", "a.md", "b.md"), "missing_document", "b.md"),
        (("a.png", "a.pdf", "a.md"), "ambiguous", "a.png and a.pdf"),
        (("README.txt",), "unknown_file", "README.txt"),
        (("Table__a.png", "Table__a.md"), "invalid_class", "Table__a.png"),
        (("__a.png", "__a.md"), "invalid_class", "__a.png"),
        (("a\nb.png",), "invalid_name", r"a\nb.png"),
    ],
)
def test_what_is_wrong_with_a_set_is_told(
    tmp_path: Path, names: tuple[str, ...], code: str, told: str
) -> None:
    a_set(tmp_path, *names)
    with pytest.raises(GoldenError) as caught:
        documents_in(tmp_path)
    assert caught.value.code == code
    assert told in caught.value.message or " and ".join(reversed(told.split(" and "))) in str(
        caught.value
    )


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    a_set(tmp_path, "a.png", "a.md")
    (tmp_path / "a.md").write_bytes(b"\xff")
    with pytest.raises(GoldenError, match=r"a\.md is not UTF-8"):
        documents_in(tmp_path)
    (tmp_path / "a.md").write_text("text")
    (tmp_path / "a.png").write_bytes(b"")
    with pytest.raises(GoldenError, match=r"a\.png is empty"):
        documents_in(tmp_path)
    (tmp_path / "a.png").unlink()
    (tmp_path / "a.png").symlink_to("nowhere")
    with pytest.raises(GoldenError, match=r"a\.png cannot be read: No such file"):
        documents_in(tmp_path)
    with pytest.raises(GoldenError, match="missing cannot be read: No such file"):
        documents_in(tmp_path / "missing")


def test_directories_are_refused(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    with pytest.raises(GoldenError, match="tables is a directory"):
        documents_in(tmp_path)


def test_a_document_that_vanished_is_told(tmp_path: Path) -> None:
    (document,) = documents_in(a_set(tmp_path, "a.png", "a.md"))
    document.file.unlink()
    with pytest.raises(GoldenError, match=r"a\.png cannot be read"):
        document.content()
