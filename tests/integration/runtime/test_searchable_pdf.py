import io

import pikepdf
import pypdfium2  # type: ignore[import-untyped]
import pytest
from docparser_runtime.outputs.page_text import PageText, Passage
from docparser_runtime.outputs.searchable_pdf import searchable_pdf
from docparser_runtime.parser_child.failures import Failure, Refused
from hypothesis import given, settings
from hypothesis import strategies as st
from support.raw_pdf import CATALOG, pdf_of_objects, pdf_of_page, stream
from support.sample_document import blank_pdf, canvas_pdf, sample_pdf
from support.searchable import PDF, Reader, a_text, distance, pages_of

BOX = (100.0, 150.0, 400.0, 180.0)
MOST_PIXELS_OFF = 2.0
LINES = (
    "Hello wide World",
    "Größe, façade, naïve",
    "漢字かな交じり文",
    "שלום עולם 123",
    "السلام عليكم 2024",
    "नमस्ते दुनिया",
    "e\u0301t\u0307 \U0001d4b3\U0001f600",
    "ab (12) שלום xy",
)


def made(content: bytes, *passages: Passage, password: str | None = None) -> bytes:
    texts = [a_text(content, *passages)] if password is None else [PageText(1, 1, passages)]
    return searchable_pdf(content, PDF, password, pages_of(content, password), texts)


def drawn(content: bytes) -> bytes:
    return bytes(pages_of(content).picture(0).rgb)


@pytest.mark.parametrize(
    "entries",
    [
        b"",
        b"/Rotate 90",
        b"/Rotate 180",
        b"/Rotate 270",
        b"/Rotate -90",
        b"/Rotate 450",
        b"/CropBox[100 50 600 700]",
        b"/CropBox[600 700 100 50]/Rotate 90",
        b"/CropBox[-100 -50 900 900]/Rotate 180",
        b"/CropBox[0 0 0 0]",
        b"/CropBox(no box)",
        b"/UserUnit 2.0",
    ],
)
@pytest.mark.parametrize("media_box", [b"[0 0 612 792]", b"[-50 30 500.5 800]", b"null"])
def test_text_stands_where_it_is_seen(entries: bytes, media_box: bytes) -> None:
    content = pdf_of_page(b"0 0 20 20 re f", media_box=media_box, entries=entries)
    text = a_text(content, Passage("Hello wide World", BOX))
    size = (text.width, text.height)
    reader = Reader(searchable_pdf(content, PDF, None, pages_of(content), [text]))
    assert distance(reader.found("Hello wide World", size)[0], BOX) <= MOST_PIXELS_OFF


def test_words_of_a_line_stand_one_behind_the_other() -> None:
    content = blank_pdf()
    text = a_text(content, Passage("Hello wide World", BOX))
    reader = Reader(made(content, Passage("Hello wide World", BOX)))
    words = [
        reader.found(word, (text.width, text.height))[0] for word in ("Hello", "wide", "World")
    ]
    assert words[0][0] == pytest.approx(BOX[0], abs=1)
    assert words[0][2] < words[1][0] < words[1][2] < words[2][0]
    assert words[2][2] == pytest.approx(BOX[2], abs=1)


@pytest.mark.parametrize("line", LINES)
def test_text_of_all_writings_is_copied_as_it_was(line: str) -> None:
    assert Reader(made(blank_pdf(), Passage(line, BOX))).text() == line


LATIN = st.text("abcxyzÄÖÜßéñ0123456789.,-()", min_size=1, max_size=12)


@settings(max_examples=25)
@given(st.lists(LATIN, min_size=1, max_size=6))
def test_no_word_is_lost(words: list[str]) -> None:
    text = Reader(made(blank_pdf(), Passage(" ".join(words), BOX))).text()
    assert "".join(text.split()) == "".join(words)


def test_what_cannot_be_said_is_left_out() -> None:
    made_ = made(blank_pdf(), Passage("a\0b\x1b\ud800\u202ec\u200b", BOX), Passage("\u202e", BOX))
    assert Reader(made_).text() == "abc"


def test_a_page_looks_as_before() -> None:
    content = sample_pdf()
    after = made(content, Passage("These words were not there", (0, 0, 500, 60)))
    assert "These words" in Reader(after).text()
    assert drawn(after) == drawn(content)


def test_what_the_page_says_itself_is_not_said_again() -> None:
    content = canvas_pdf(lambda canvas, _: canvas.drawString(72, 720, "A printed line of text"))
    size = pages_of(content).picture(0)
    box = Reader(content).found("A printed line of text", (size.width, size.height))[0]
    passages = Passage("A printed line of text", box), Passage("and a scanned one", BOX)
    once = made(content, *passages)
    assert sorted(Reader(once).text().split("\n")) == sorted(p.text for p in passages)
    assert Reader(made(once, *passages)).text() == Reader(once).text()


def test_a_disorderly_page_does_not_move_the_text() -> None:
    content = pdf_of_page(b"q 3 0 0 3 50 60 cm q Q Q Q BT /F 9 Tf 20 20 Td 2 Ts <<")
    text = a_text(content, Passage("Hello wide World", BOX))
    reader = Reader(searchable_pdf(content, PDF, None, pages_of(content), [text]))
    found = reader.found("Hello wide World", (text.width, text.height))
    assert distance(found[0], BOX) <= MOST_PIXELS_OFF


def test_shared_resources_stay_in_use_and_as_they_were() -> None:
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    page = b"<</Type/Page/Parent 2 0 R/Contents 5 0 R>>"
    content = pdf_of_objects(
        {
            1: CATALOG,
            2: b"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 612 792]/Resources 6 0 R>>",
            3: page,
            4: page,
            5: stream(b"BT /F 20 Tf 50 50 Td (Seen) Tj ET"),
            6: b"<</Font<</F %s>>>>" % font,
        }
    )
    after = made(content, Passage("Hello", BOX))
    assert drawn(after) == drawn(content)
    assert "Seen" in Reader(after).text()
    assert Reader(after).text(1) == "Seen"
    with pikepdf.open(io.BytesIO(after)) as pdf:
        assert [*pdf.pages[1].Resources.Font.keys()] == ["/F"]


@pytest.mark.parametrize("contents", [b"null", b"[]", b"[null 4 0 R]", b"/None"])
def test_odd_contents_are_kept(contents: bytes) -> None:
    objects = {
        1: CATALOG,
        2: b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 612 792]>>",
        3: b"<</Type/Page/Parent 2 0 R/Resources 7/Contents %s>>" % contents,
        4: stream(b"0 0 200 200 re f"),
    }
    content = pdf_of_objects(objects)
    after = made(content, Passage("Hello", BOX))
    assert Reader(after).text() == "Hello"
    assert drawn(after) == drawn(content)


def test_an_encrypted_file_stays_encrypted() -> None:
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(300, 300))
    output = io.BytesIO()
    pdf.save(output, encryption=pikepdf.Encryption(owner="boss", user="open", R=6))
    after = made(output.getvalue(), Passage("Hello", (0, 0, 1, 1)), password="open")
    assert Reader(after, "open").text() == "Hello"
    with pytest.raises(pypdfium2.PdfiumError, match="password"):
        pypdfium2.PdfDocument(after)


def test_a_repaired_file_can_be_made_searchable() -> None:
    content = blank_pdf().replace(b"startxref", b"startyref")
    assert pages_of(content).repaired
    assert Reader(made(content, Passage("Hello", BOX))).text() == "Hello"


def test_the_same_file_is_made_each_time() -> None:
    passage = Passage("Hello", BOX)
    assert made(blank_pdf(), passage) == made(blank_pdf(), passage)


@pytest.mark.parametrize("content", [b"%PDF-1.7 nothing", blank_pdf()])
def test_a_file_that_cannot_be_changed_is_shown_in_pictures(content: bytes) -> None:
    drawing = canvas_pdf(lambda canvas, at: canvas.rect(9, 9, 300, 50 + 9 * at, fill=1), 2)
    texts = [a_text(drawing, Passage(f"Hello {at}", BOX), index=at) for at in range(2)]
    after = searchable_pdf(content, PDF, None, pages_of(drawing), texts)
    assert [Reader(after).text(at) for at in range(2)] == ["Hello 0", "Hello 1"]
    assert drawn(after) == drawn(drawing)


@pytest.mark.parametrize(
    ("content", "media_type", "password"),
    [(b"%PDF-", PDF, "secret"), (blank_pdf(), PDF, "secret"), (b"", "image/png", None)],
)
def test_what_nothing_can_be_made_of_is_refused(
    content: bytes, media_type: str, password: str | None
) -> None:
    two = canvas_pdf(lambda canvas, _: canvas.drawString(9, 9, "x"), 2)
    with pytest.raises(Refused) as refused:
        searchable_pdf(content, media_type, password, pages_of(two), [])
    assert refused.value.failure is Failure.CORRUPT


def test_places_that_are_none_are_left_out() -> None:
    boxes = [
        (9.0, 9.0, 9.0, 9.0),
        (float("nan"), 0.0, 5.0, 5.0),
        (0.0, 0.0, float("inf"), 5.0),
        (5e6, 5e6, 6e6, 6e6),
        (50.0, 50.0, 20.0, 20.0),
    ]
    assert Reader(made(blank_pdf(), *(Passage("Hello", box) for box in boxes))).text() == ""


def test_the_text_travels_as_bytes() -> None:
    text = PageText(7, 9, (Passage("a\tb\nc", (0, 1.5, 2, 3), is_table=True), Passage("ü", BOX)))
    assert PageText.loads(text.dumps()) == text
