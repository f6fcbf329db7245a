"""Pictures as phones write them, decoded in a process that is confined as in the service."""

import struct
from collections.abc import Callable

import numpy as np
import pytest
from docparser_runtime.documents.base import DocumentInfo
from docparser_runtime.parser_child.limits import LONGEST_SIDE
from support.heic import HALF_BLACK, TILED, TURNED, TWO_PICTURES, WITH_ALPHA
from unit.runtime.documents.many_documents import ManyDocuments
from unit.runtime.documents.opener import Opener


def with_coded_size(content: bytes, width: int, height: int) -> bytes:
    """Return a file whose header says that its picture has this size before it is cut."""
    place = content.index(b"ispe") + 8
    return content[:place] + struct.pack(">II", width, height) + content[place + 8 :]


def with_seen_size(content: bytes, width: int, height: int) -> bytes:
    """Return a file whose header says that so much of the picture is to be seen."""
    place = content.index(b"clap") + 4
    size = struct.pack(">IIII", width, 1, height, 1)
    return content[:place] + size + content[place + 16 :]


SURE_TILED = TILED.replace(b"ftypmif1", b"ftypheic")
"""The same with a kind that shows in its first bytes, whatever happens to the others."""


@pytest.mark.parametrize(("content", "size"), [(HALF_BLACK, (20, 40)), (TILED, (128, 128))])
def test_a_picture_is_a_page(
    confined: ManyDocuments, content: bytes, size: tuple[int, int]
) -> None:
    (page,) = confined.open(content).pages
    assert page.shape == (*size, 3)
    assert page[3, 20].max() <= 10
    assert page[-4, 20].min() >= 245


def test_what_is_transparent_is_white(confined: ManyDocuments) -> None:
    (page,) = confined.open(WITH_ALPHA).pages
    assert page[3, 20].max() <= 10
    assert page[-4, 20].min() >= 245


def test_a_picture_is_turned_as_its_file_says(confined: ManyDocuments) -> None:
    # Its Exif data ask for the same turn, which must not be made twice.
    (page,) = confined.open(TURNED).pages
    assert page.shape == (40, 20, 3)
    assert page[20, 16].max() <= 10
    assert page[20, 3].min() >= 245


def test_all_pictures_of_a_file_are_pages(opener: Opener) -> None:
    info, pages = opener.read(TWO_PICTURES, order=(1, 0, 1))
    assert info == DocumentInfo("image/heic", page_count=2)
    assert [(page.width, page.height, page.dpi) for page in pages] == [
        (24, 24, None),
        (40, 20, None),
        (24, 24, None),
    ]
    assert np.abs(pages[0].pixels.astype(int) - (255, 0, 0)).max() <= 10


@pytest.mark.parametrize(
    ("content", "failure"),
    [
        pytest.param(with_coded_size(HALF_BLACK, 2001, 2000), "image_too_large", id="too large"),
        pytest.param(with_coded_size(HALF_BLACK, 2**31, 2**31), "image_too_large", id="bomb"),
        pytest.param(with_coded_size(HALF_BLACK, LONGEST_SIDE + 1, 1), "image_too_large", id="row"),
        pytest.param(with_coded_size(HALF_BLACK, 0, 64), "corrupt", id="no width"),
        pytest.param(with_seen_size(HALF_BLACK, 2001, 2000), "image_too_large", id="seen"),
        pytest.param(HALF_BLACK[:28], "corrupt", id="only a kind"),
    ],
)
def test_fault_and_failure(confined: ManyDocuments, content: bytes, failure: str) -> None:
    assert confined.open(content).name == failure


@pytest.mark.parametrize("content", [HALF_BLACK, SURE_TILED, TWO_PICTURES, WITH_ALPHA])
def test_a_cut_file_is_corrupt(confined: ManyDocuments, content: bytes) -> None:
    for percent in range(30, 98, 4):
        assert confined.open(content[: len(content) * percent // 100]).name == "corrupt"


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda byte, random: byte ^ 1 << random.integers(8), id="bits"),
        pytest.param(lambda _byte, random: random.integers(256), id="bytes"),
    ],
)
@pytest.mark.parametrize("content", [HALF_BLACK, SURE_TILED])
def test_flipped_bits_lead_to_known_failures(
    confined: ManyDocuments,
    content: bytes,
    damage: Callable[[int, np.random.Generator], int],
) -> None:
    random = np.random.default_rng(3)
    for _ in range(100):
        damaged = bytearray(content)
        # The first bytes stay, or it would be another kind of document.
        for position in random.integers(28, len(content), 3):
            damaged[position] = damage(damaged[position], random)
        assert confined.open(bytes(damaged)).name in {
            "fine",
            "corrupt",
            "image_too_large",
            "page_invalid",
            "too_many_pages",
        }
