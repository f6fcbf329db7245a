import json
import os
from pathlib import Path

import pytest
from docparser_api.names import WEIGHTS_MANIFEST_FILE
from docparser_runtime.weights import manifest
from docparser_runtime.weights.errors import Code, WeightsError
from docparser_runtime.weights.manifest import File, Manifest
from hypothesis import given
from hypothesis import strategies as st

DIGEST = "0" * 64
NAMES = st.from_regex(r"[A-Za-z0-9_é -][A-Za-z0-9_.é -]{0,20}", fullmatch=True)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
DIGESTS = st.text("0123456789abcdef", min_size=64, max_size=64)


def bare(path: str) -> dict[str, object]:
    return {"path": path, "size": 1, "sha256": DIGEST}


def content_of(*files: dict[str, object], **others: object) -> bytes:
    return json.dumps({"version": 1, "files": files} | others).encode()


def refusal_of(content: bytes, sha256: str | None = None) -> WeightsError:
    with pytest.raises(WeightsError) as refusal:
        manifest.parse(content, sha256 or manifest.digest(content))
    assert refusal.value.code == Code.MANIFEST_INVALID
    assert refusal.value.file == WEIGHTS_MANIFEST_FILE
    return refusal.value


@given(st.dictionaries(PATHS, st.tuples(st.integers(0, 2**50), DIGESTS), min_size=1, max_size=5))
def test_what_is_written_is_read(described: dict[str, tuple[int, str]]) -> None:
    paths = set(described)
    if any(f"{'/'.join(path.split('/')[:depth])}" in paths for path in paths for depth in (1, 2)
           if depth < len(path.split("/"))):  # fmt: skip
        return
    files = [File(path=path, size=size, sha256=sha) for path, (size, sha) in described.items()]
    content = Manifest(files=tuple(files)).content()
    read = manifest.parse(content, manifest.digest(content))
    assert sorted(read.files, key=lambda file: file.path) == list(read.files)
    assert {file.path: (file.size, file.sha256) for file in read.files} == described
    assert read.content() == content
    assert Manifest(files=tuple(reversed(files))).content() == content


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        manifest.parse(content, manifest.digest(content))
    except WeightsError as error:
        assert error.code == Code.MANIFEST_INVALID  # noqa: PT017 (or it was read)


@pytest.mark.parametrize(
    "path",
    ["../x", "a/../b", "/etc/passwd", "a//b", "a/", "", ".", "./a", ".hidden", "a/.git/x",
     "a\\b", "a\nb", "a\x00b", "x" * 256, "a/" * 600 + "b", WEIGHTS_MANIFEST_FILE],
)  # fmt: skip
def test_unsafe_paths_are_refused(path: str) -> None:
    assert "path" in refusal_of(content_of(bare("good"), bare(path))).message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (content_of(bare("a"), bare("a")), "lists a twice"),
        (content_of(bare("a/b"), bare("a")), "lists a as a file and as a directory"),
        (content_of(), "at least 1 item"),
        (content_of(bare("a"), version=2), "version"),
        (content_of(bare("a"), more=1), "more"),
        (content_of(bare("a") | {"size": -1}), "size"),
        (content_of(bare("a") | {"sha256": "x"}), "sha256"),
        (b"{", "Invalid JSON"),
        (b" " * (manifest.MOST_BYTES + 1), "is larger than 8388608 bytes"),
    ],
)
def test_what_no_manifest_may_say(content: bytes, message: str) -> None:
    assert message in refusal_of(content).message


def test_both_digests_are_named() -> None:
    content = content_of(bare("a"))
    message = refusal_of(content, DIGEST).message
    assert DIGEST in message
    assert manifest.digest(content) in message


def test_a_directory_is_described_without_what_is_hidden(tmp_path: Path) -> None:
    for name in ("b.bin", "a/c.bin", ".git/config", "a/.cache", WEIGHTS_MANIFEST_FILE):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "link.bin").symlink_to("a/c.bin")
    described = manifest.of_directory(tmp_path)
    assert [(file.path, file.size) for file in described.files] == [
        ("a/c.bin", 7), ("b.bin", 5), ("link.bin", 7),
    ]  # fmt: skip
    assert manifest.unlisted(tmp_path, described) == []
    (tmp_path / "a" / "evil.py").touch()
    assert manifest.unlisted(tmp_path, described) == ["a/evil.py"]


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").touch()
    (tmp_path / "in" / "link").symlink_to("../out")
    with pytest.raises(WeightsError, match="leads out") as refusal:
        manifest.of_directory(tmp_path / "in")
    assert refusal.value.file == "link"


def test_a_name_that_no_manifest_may_hold_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a\nb").touch()
    with pytest.raises(WeightsError, match="printable"):
        manifest.of_directory(tmp_path)


def test_an_empty_directory_has_no_manifest(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="there are no files"):
        manifest.of_directory(tmp_path)


def test_a_name_in_no_known_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff")).touch()
    with pytest.raises(WeightsError):
        manifest.of_directory(tmp_path)
