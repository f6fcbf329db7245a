"""What a broken or hostile PDF file leads to: its typed error, in time, and a reader that lives."""

import io
import zlib
from collections import Counter
from collections.abc import Callable
from typing import Literal

import numpy as np
import pikepdf
import pytest
from docparser_runtime import errors
from docparser_runtime.documents.base import DocumentInfo
from support.raw_pdf import (
    CATALOG,
    PAGE_TREE,
    deflated_zeros,
    form,
    pdf_of_objects,
    pdf_of_page,
    stream,
)
from support.sample_document import blank_pdf, prose_pdf, sample_pdf
from unit.runtime.documents.many_documents import ManyDocuments
from unit.runtime.documents.opener import Opener

pytestmark = pytest.mark.thorough  # each bomb runs into its limit

Revision = Literal[2, 3, 4, 5, 6]


def encrypted(revision: Revision, user: str) -> bytes:
    buffer = io.BytesIO()
    with pikepdf.open(io.BytesIO(blank_pdf())) as pdf:
        lock = pikepdf.Encryption(
            owner="owner", user=user, R=revision, aes=revision >= 4, metadata=revision >= 4
        )
        pdf.save(buffer, encryption=lock)
    return buffer.getvalue()


def certificate_encrypted() -> bytes:
    security = b"/Encrypt<</Filter/Adobe.PubSec/SubFilter/adbe.pkcs7.s4/V 4/R 4/Length 128>>"
    return blank_pdf().replace(b"/Root", security + b"/Root", 1)


def slow_shading() -> bytes:
    """Return a page whose every pixel is the result of a long computation."""
    program = b"{" + b" 1 add 1 sub" * 20_000 + b" pop}"
    function = b"/FunctionType 4/Domain[0 1 0 1]/Range[0 1]"
    return pdf_of_objects(
        {
            1: CATALOG,
            2: PAGE_TREE,
            3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
            b"/Resources<</Shading<</S 5 0 R>>>>>>",
            4: stream(b"612 0 0 792 0 0 cm /S sh"),
            5: b"<</ShadingType 1/ColorSpace/DeviceGray/Function 6 0 R>>",
            6: stream(program, function),
        }
    )


def huge_path() -> bytes:
    path = b"0 0 m " + b"1 1 l 2 2 l " * 10_000_000 + b"S"
    return pdf_of_page(stream(zlib.compress(path, 1), b"/Filter/FlateDecode"))


def huge_content() -> bytes:
    return pdf_of_page(stream(deflated_zeros(300), b"/Filter/FlateDecode"))


def huge_image() -> bytes:
    head = b"/Type/XObject/Subtype/Image/Width 30000/Height 30000/BitsPerComponent 8"
    head += b"/ColorSpace/DeviceRGB/Filter/FlateDecode"
    return pdf_of_page(
        b"q 612 0 0 792 0 0 cm /I Do Q", x_objects={"I": stream(deflated_zeros(30), head)}
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(b"%PDF-1.7\nhello", "corrupt", id="only a header"),
        pytest.param(
            pdf_of_objects({1: CATALOG, 2: b"<</Type/Pages/Kids[]/Count 0>>"}),
            "no_pages",
            id="no pages",
        ),
        pytest.param(
            pdf_of_objects({1: CATALOG, 2: b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>"}),
            "corrupt",
            id="page tree that contains itself",
        ),
        pytest.param(
            pdf_of_objects(
                {1: CATALOG, 2: PAGE_TREE.replace(b"Count 1", b"Count 1000000000"), 3: b"null"}
            ),
            "no_pages",
            id="page count that lies",
        ),
        pytest.param(pdf_of_page(media_box=b"[0 0 0.001 0.001]"), "page_invalid", id="no area"),
        pytest.param(pdf_of_page(media_box=b"[0 0 1000000 1]"), "page_invalid", id="a thread"),
        pytest.param(blank_pdf(), "fine", id="blank"),
        pytest.param(pdf_of_page(media_box=b"[0 0 NaN 500]"), "fine", id="NaN: standard size"),
        pytest.param(pdf_of_page(media_box=b"[0 0 -612 -792]"), "fine", id="other corner"),
        pytest.param(pdf_of_page(entries=b"/Rotate 45"), "fine", id="turn that is no turn"),
        pytest.param(
            pdf_of_page().replace(b"/Catalog", b"/Catalog/OpenAction<</S/Launch/F(/bin/sh)>>"),
            "repaired",
            id="launch action, and the table of contents is off",
        ),
        pytest.param(encrypted(3, user=""), "fine", id="only an owner's password"),
        pytest.param(certificate_encrypted(), "encryption_unknown", id="certificate"),
    ],
)
def test_fault_and_failure(confined: ManyDocuments, content: bytes, expected: str) -> None:
    assert confined.open(content).name == expected


def test_a_file_may_have_as_many_pages_as_the_limit_says(opener: Opener) -> None:
    assert opener.outcome(prose_pdf(12)) == "fine"
    assert opener.outcome(prose_pdf(13)) == "too_many_pages"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"%PDF-1.7", "document_corrupt"),
        (pdf_of_objects({1: CATALOG, 2: b"<</Type/Pages/Kids[]/Count 0>>"}), "no_pages"),
        (pdf_of_page(media_box=b"[0 0 0.001 0.001]"), "page_invalid"),
        (encrypted(6, user="user"), "password_required"),
        (certificate_encrypted(), "unsupported_encryption"),
    ],
)
def test_failures_are_told_by_their_codes(opener: Opener, content: bytes, code: str) -> None:
    assert opener.outcome(content) == code


@pytest.mark.parametrize(
    ("bomb", "expected"),
    [
        (slow_shading, "document_timeout"),
        (huge_path, "resource_limit"),
        (huge_content, "resource_limit"),
        # It is left out: what else stands on the page can still be read.
        (huge_image, "fine"),
    ],
)
def test_bomb_and_answer(opener: Opener, bomb: Callable[[], bytes], expected: str) -> None:
    assert opener.outcome(bomb()) == expected


@pytest.mark.filterwarnings("ignore:Encryption R=5:UserWarning")
@pytest.mark.parametrize("revision", [2, 3, 4, 5, 6])
def test_passwords(confined: ManyDocuments, revision: Revision) -> None:
    content = encrypted(revision, user="gehéim")
    assert confined.open(content).name == "password_required"
    assert confined.open(content, "geheim").name == "password_invalid"
    assert confined.open(content, "owner\0").name == "password_invalid"
    assert confined.open(content, "\ud800").name == "password_invalid"
    assert confined.open(content, "gehéim").name == "fine"
    assert confined.open(content, "owner").name == "fine"


def test_passwords_in_any_script(confined: ManyDocuments) -> None:
    content = encrypted(6, user="пароль")
    assert confined.open(content, "пороль").name == "password_invalid"
    assert confined.open(content, "пароль").name == "fine"


def test_passwords_do_not_appear_in_errors(opener: Opener) -> None:
    with pytest.raises(errors.PasswordInvalid) as raised:
        opener.read(encrypted(4, user="user"), password="s3cret")
    assert "s3cret" not in repr(raised.value)


def test_a_password_for_an_open_document_is_ignored(opener: Opener) -> None:
    assert opener.outcome(blank_pdf(), "s3cret") == "fine"


def test_a_file_cut_anywhere_is_repaired_or_refused(confined: ManyDocuments) -> None:
    content = sample_pdf()
    cuts = [content[: len(content) * percent // 100] for percent in range(1, 100)]
    outcomes = Counter(confined.open(cut).name for cut in cuts)
    assert set(outcomes) <= {"repaired", "corrupt", "no_pages"}
    # With the pages themselves in place the lost rest can be made up for.
    assert outcomes["repaired"] >= 50


def test_flipped_bits_lead_to_pages_or_to_known_failures(confined: ManyDocuments) -> None:
    content, random = sample_pdf(), np.random.default_rng(1)
    for _ in range(60):
        damaged = bytearray(content)
        for position in random.integers(8, len(content), 20):
            damaged[position] ^= 1 << random.integers(8)
        outcome = confined.open(bytes(damaged)).name
        assert outcome in {"fine", "repaired", "corrupt", "no_pages", "password_required"}


def test_a_huge_page_is_drawn_smaller(opener: Opener) -> None:
    _, (page,) = opener.read(pdf_of_page(media_box=b"[0 0 1000000 1000000]"))
    assert page.width == page.height
    assert 3_900_000 < page.width * page.height <= 4_000_000
    assert page.dpi == pytest.approx(72 * page.width / 1_000_000, rel=0.001)


@pytest.mark.parametrize(
    ("turn", "size"), [(b"0", (612, 792)), (b"90", (792, 612)), (b"180", (612, 792))]
)
def test_a_page_is_turned_as_it_says(opener: Opener, turn: bytes, size: tuple[int, int]) -> None:
    _, (page,) = opener.read(pdf_of_page(entries=b"/Rotate " + turn))
    assert (page.width, page.height) == size
    rows, columns = np.nonzero((page.pixels < 128).any(axis=2))
    # The greeting stands at the bottom left; a turn takes it clockwise around.
    corner = (columns.mean() > size[0] / 2, rows.mean() > size[1] / 2)
    assert corner == {b"0": (False, True), b"90": (False, False), b"180": (True, False)}[turn]


def test_filled_form_fields_are_drawn(opener: Opener) -> None:
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>>>",
        2: PAGE_TREE,
        3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Annots[4 0 R]>>",
        4: b"<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(x)/Rect[50 20 150 80]/F 4/AP<</N 5 0 R>>>>",
        5: form(b"0 0 612 792 re f"),
    }
    _, (page,) = opener.read(pdf_of_objects(objects))
    assert page.pixels[50, 100].tolist() == [0, 0, 0]


def test_the_reader_serves_good_documents_after_all_that(opener: Opener) -> None:
    info, pages = opener.read(sample_pdf())
    assert info == DocumentInfo("application/pdf", page_count=3, repaired=False)
    assert [(page.index, page.width, page.height, page.dpi) for page in pages] == [
        (index, 596, 842, 72) for index in range(3)
    ]
    assert pages[0].pixels[0, 0].tolist() == [255, 255, 255]
