"""Files that a parser makes of its document: with text, or without encryption."""

import io

import pikepdf
import pytest
from docparser_runtime import errors
from docparser_runtime.outputs.page_text import PageText, Passage
from docparser_runtime.parser_child.images import FORMATS
from support.heic import TWO_PICTURES
from support.images import encoded, half_black
from support.raw_pdf import pdf_of_page
from support.sample_document import blank_pdf, prose_pdf
from support.searchable import Reader
from unit.runtime.documents.opener import Opener

PASSWORD = "gehéim"


def locked(content: bytes, user: str) -> bytes:
    buffer = io.BytesIO()
    with pikepdf.open(io.BytesIO(content)) as pdf:
        pdf.save(buffer, encryption=pikepdf.Encryption(owner="owner", user=user))
    return buffer.getvalue()


def without_contents(content: bytes) -> bytes:
    """Return a PDF whose table of contents leads nowhere."""
    return content[: content.rindex(b"startxref")] + b"startxref\n1\n%%EOF\n"


def words(index: int) -> PageText:
    """Return a page that says its number."""
    return PageText(40, 20, (Passage(f"Page {index}", (2, 2, 38, 12)),))


@pytest.mark.parametrize("name", FORMATS.values())
def test_images_of_every_kind_become_pages(opener: Opener, name: str) -> None:
    made = opener.searchable(encoded(half_black("RGB"), name), words)
    with pikepdf.open(io.BytesIO(made)) as pdf:
        assert len(pdf.pages) == 1
    assert Reader(made).text() == "Page 0"


def test_each_picture_of_a_file_becomes_a_page(opener: Opener) -> None:
    made = Reader(opener.searchable(TWO_PICTURES, words))
    assert [made.text(index) for index in range(2)] == ["Page 0", "Page 1"]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(blank_pdf(), id="sound"),
        pytest.param(without_contents(blank_pdf()), id="damaged"),
        pytest.param(pdf_of_page(media_box=b"[-50 30 500.5 800]"), id="other corner"),
    ],
)
def test_pdf_files_get_text(opener: Opener, content: bytes) -> None:
    assert "Page 0" in Reader(opener.searchable(content, words)).text().splitlines()


def test_large_pages_are_cut_into_as_they_must(opener: Opener) -> None:
    size = (596, 842)
    text = PageText(*size, (Passage("Alpha Beta", (10, 10, 500, 700)),))
    assert "Alpha" in Reader(opener.searchable(blank_pdf(), lambda _: text)).text()


@pytest.mark.parametrize(
    ("user", "password"), [(PASSWORD, PASSWORD), (PASSWORD, "owner"), ("", None), ("", "owner\0")]
)
def test_who_had_no_password_needs_none(opener: Opener, user: str, password: str | None) -> None:
    made = opener.searchable(locked(blank_pdf(), user), words, password)
    with pikepdf.open(io.BytesIO(made), password=user) as pdf:
        assert pdf.is_encrypted
    assert Reader(made, user).text() == "Page 0"


@pytest.mark.parametrize("user", [PASSWORD, ""])
@pytest.mark.parametrize("damage", [False, True])
def test_encryption_is_known_and_taken_off(opener: Opener, user: str, damage: bool) -> None:  # noqa: FBT001 - a parameter
    content = locked(prose_pdf(2), user)
    content = without_contents(content) if damage else content
    info, pages = opener.read(content, password=user or None)
    assert info.encrypted
    plain = opener.decrypted(content, user or None)
    with pikepdf.open(io.BytesIO(plain)) as pdf:
        assert not pdf.is_encrypted
    again, drawn = opener.read(plain)
    assert (again.encrypted, again.page_count) == (False, 2)
    assert all((a.pixels == b.pixels).all() for a, b in zip(pages, drawn, strict=True))


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(blank_pdf(), id="PDF"),
        pytest.param(without_contents(blank_pdf()), id="damaged PDF"),
        pytest.param(encoded(half_black("RGB"), "PNG"), id="PNG"),
    ],
)
def test_what_is_not_encrypted_stays_the_same(opener: Opener, content: bytes) -> None:
    info, _ = opener.read(content)
    assert not info.encrypted
    assert opener.decrypted(content) == content


def test_nothing_is_made_of_pages_that_cannot_be_drawn(opener: Opener) -> None:
    content = pdf_of_page(media_box=b"[0 0 0.001 0.001]")
    with pytest.raises(errors.PageInvalid):
        opener.searchable(content, words)
