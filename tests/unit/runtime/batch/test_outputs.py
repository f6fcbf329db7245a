"""The directory of outputs: whole or not there, and known afterwards."""

import subprocess
import sys
from pathlib import Path

import pytest
from docparser_runtime.batch.outputs import JOURNAL, OutputError, Outputs, Work

BOTH = (".md", ".json")


def write(folder: Path, name: str = "a/b.pdf", sha256: str = "1") -> None:
    with Outputs.opened(folder) as outputs:
        outputs.write(Work(name, sha256), {".md": b"text", ".json": b"{}"})


def is_done(
    folder: Path, name: str = "a/b.pdf", sha256: str = "1", endings: tuple[str, ...] = BOTH
) -> bool:
    with Outputs.opened(folder) as outputs:
        return outputs.is_done(Work(name, sha256), endings)


def test_what_is_written_is_done(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "out"
    assert not is_done(folder)
    write(folder)
    assert (folder / "a/b.pdf.md").read_text() == "text"
    assert is_done(folder)
    assert is_done(folder, endings=(".md",))


def test_another_content_or_form_is_not(tmp_path: Path) -> None:
    write(tmp_path)
    assert not is_done(tmp_path, sha256="2")
    assert not is_done(tmp_path, name="a/c.pdf")
    assert not is_done(tmp_path, endings=(".md", ".html"))


def test_forms_that_are_written_later_join_those_that_are_there(tmp_path: Path) -> None:
    write(tmp_path)
    with Outputs.opened(tmp_path) as outputs:
        outputs.write(Work("a/b.pdf", "1"), {".html": b"<p>"})
    assert is_done(tmp_path, endings=(*BOTH, ".html"))


def test_what_is_to_be_read_in_another_way_is_not_done(tmp_path: Path) -> None:
    write(tmp_path)
    first = Work("a/b.pdf", "1", {"page_range": "1-2"})
    with Outputs.opened(tmp_path) as outputs:
        assert not outputs.is_done(first, BOTH)
        outputs.write(first, {".md": b"text"})
    with Outputs.opened(tmp_path) as outputs:
        assert outputs.is_done(first, (".md",))
        assert not outputs.is_done(first, (".json",))  # it is there, but of the whole document
        assert not outputs.is_done(Work("a/b.pdf", "1", {"page_range": "1"}), (".md",))
    assert not is_done(tmp_path, endings=(".md",))


def test_a_journal_that_names_no_options_is_understood(tmp_path: Path) -> None:
    write(tmp_path)
    journal = tmp_path / JOURNAL
    journal.write_text(journal.read_text().replace('"options": {}, ', ""))
    assert is_done(tmp_path)


@pytest.mark.parametrize("content", [None, b"", b"tex", b"text!"])
def test_an_output_that_is_gone_or_changed_is_not_done(
    tmp_path: Path, content: bytes | None
) -> None:
    write(tmp_path)
    path = tmp_path / "a/b.pdf.md"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    assert not is_done(tmp_path)


def test_the_last_word_counts(tmp_path: Path) -> None:
    write(tmp_path, sha256="1")
    write(tmp_path, sha256="2")
    assert not is_done(tmp_path, sha256="1")
    assert is_done(tmp_path, sha256="2")


def test_half_a_line_of_a_killed_process_hides_nothing(tmp_path: Path) -> None:
    write(tmp_path, "one")
    journal = tmp_path / JOURNAL
    journal.write_bytes(journal.read_bytes() + b'{"name": "two", "sha')
    write(tmp_path, "three")
    assert [is_done(tmp_path, name) for name in ("one", "two", "three")] == [True, False, True]


def test_a_journal_of_something_else_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_bytes(
        b'\xff\n[]\n3\n{"x": 1}\n{"name": []}\n{"name": "a"}\n{"name": "b", "outputs": 1}\n'
    )
    assert not is_done(tmp_path, "a")


def test_a_killed_writer_leaves_the_old_output_whole(tmp_path: Path) -> None:
    write(tmp_path)
    killed = f"""
import os
from pathlib import Path
from docparser_runtime.batch import outputs
os.fsync = lambda _: os._exit(9)  # in the midst of the next output
with outputs.Outputs.opened(Path({str(tmp_path)!r})) as out:
    out.write(outputs.Work("a/b.pdf", "2"), {{".md": b"other"}})
"""
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode == 9
    assert (tmp_path / "a/b.pdf.md").read_text() == "text"
    assert is_done(tmp_path)
    write(tmp_path, sha256="2")
    assert [path.name for path in (tmp_path / "a").iterdir() if "partial" in path.name] == []


def test_two_processes_do_not_share_a_directory(tmp_path: Path) -> None:
    with (
        Outputs.opened(tmp_path),
        pytest.raises(OutputError, match="another process"),
        Outputs.opened(tmp_path),
    ):
        pass


def test_a_directory_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match="cannot write"), Outputs.opened(tmp_path / "file"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
