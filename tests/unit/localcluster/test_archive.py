import hashlib
import tarfile
from pathlib import Path

from localcluster import archive


def test_a_single_program_becomes_an_image(tmp_path: Path) -> None:
    program = tmp_path / "pause"
    program.write_bytes(b"\x7fELF" + bytes(14) + b"\xb7\0" + bytes(80))
    image = tmp_path / "image.tar"
    archive.write_single_program(image, program, "example.dev/pause:local")

    references, identifier = archive.identity(image)
    assert references == ["example.dev/pause:local"]
    with tarfile.open(image) as files:
        config = files.extractfile("config.json")
        assert config
        content = config.read()
        layer = files.getmember("layer.tar").size
    assert identifier == f"sha256:{hashlib.sha256(content).hexdigest()}"
    assert b'"architecture": "arm64"' in content
    assert list(archive.layer_sizes(image).values()) == [layer]


def test_equal_programs_make_equal_images(tmp_path: Path) -> None:
    program = tmp_path / "pause"
    program.write_bytes(bytes(100))
    for name in ("one.tar", "two.tar"):
        archive.write_single_program(tmp_path / name, program, "example.dev/pause:local")
    assert archive.identity(tmp_path / "one.tar") == archive.identity(tmp_path / "two.tar")
