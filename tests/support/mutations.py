"""Documents that are damaged or made to hurt, the same ones for the same seed."""

import io
import itertools
import random
import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pikepdf
from PIL import Image, ImageDraw
from support.heic import HALF_BLACK
from support.hostile_images import hostile_images
from support.hostile_pdf import hostile_pdfs
from support.images import encoded
from support.sample_document import prose_pdf, sample_pdf


@dataclass(frozen=True)
class Mutant:
    """A document, and how it came to be."""

    name: str
    content: bytes


def corpus(count: int, seed: int) -> Iterator[Mutant]:
    """Yield `count` documents: those that are made to hurt, then whole ones cut and changed.

    Of few, a third is made to hurt. Of many, each whole document is cut at every percent.
    """
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    hostile = [*(hostile_pdfs() | hostile_images()).items()]
    chance.shuffle(hostile)
    made = hostile[: count // 3]
    yield from (Mutant(name, content) for name, content in made)
    yield from itertools.islice(_damaged(chance), count - len(made))


def whole_documents() -> dict[str, bytes]:
    """Return sound documents by name."""
    drawn = _drawing()
    images = {"PNG": {}, "JPEG": {"quality": 80}, "WEBP": {}, "BMP": {}, "JPEG2000": {}, "AVIF": {}}
    tiff = {"compression": "tiff_lzw", "save_all": True, "append_images": [drawn] * 2}
    return {
        "PDF": _saved(sample_pdf(), pikepdf.ObjectStreamMode.disable),
        "PDF with object streams": _saved(prose_pdf(3), pikepdf.ObjectStreamMode.generate),
        **{name: encoded(drawn, name, **options) for name, options in images.items()},
        "progressive JPEG": encoded(drawn, "JPEG", progressive=True),
        "TIFF": encoded(drawn, "TIFF", **tiff),
        "fax": encoded(drawn.convert("1"), "TIFF", compression="group4"),
        "GIF": encoded(drawn.convert("P"), "GIF"),
        "HEIC": HALF_BLACK,
    }


def _damaged(chance: random.Random) -> Iterator[Mutant]:
    whole = whole_documents()
    cuts = [(name, percent) for percent in range(1, 100) for name in whole]
    chance.shuffle(cuts)
    cut = iter(cuts)
    for turn in itertools.count():
        if turn % 2 == 0 and (place := next(cut, None)) is not None:
            name, percent = place
            content = whole[name]
            yield Mutant(f"{name} to {percent} %", content[: len(content) * percent // 100])
        else:
            name, change = chance.choice([*whole]), chance.choice(_CHANGES)
            changed = bytearray(whole[name])
            for _ in range(chance.choice((1, 1, 2, 5))):
                change(changed, chance)
            yield Mutant(f"{name}, {change.__name__} ({turn})", bytes(changed))


def _drawing() -> Image.Image:
    image = Image.new("RGB", (300, 200), "white")
    draw = ImageDraw.Draw(image)
    for line in range(6):
        draw.text((10, 10 + 30 * line), f"Line {line} of a small picture", fill="black")
    draw.ellipse((200, 100, 290, 190), fill="red")
    return image


def _saved(content: bytes, streams: pikepdf.ObjectStreamMode) -> bytes:
    """Return a PDF file without its date and random numbers, so that it is always the same."""
    output = io.BytesIO()
    with pikepdf.open(io.BytesIO(content)) as pdf:
        del pdf.docinfo
        pdf.save(output, object_stream_mode=streams, deterministic_id=True)
    return output.getvalue()


def _place(content: bytearray, chance: random.Random) -> int:
    """Return a position, half of the time near an end, where heads and tables are."""
    near = min(len(content) - 1, 200)
    sides = (chance.randint(0, near), len(content) - 1 - chance.randint(0, near))
    return chance.choice((*sides, chance.randrange(len(content)), chance.randrange(len(content))))


def _flipped_bits(content: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 4, 20))):
        content[_place(content, chance)] ^= 1 << chance.randrange(8)


def _inserted_bytes(content: bytearray, chance: random.Random) -> None:
    at = _place(content, chance)
    content[at:at] = chance.randbytes(chance.choice((1, 2, 100)))


def _removed_bytes(content: bytearray, chance: random.Random) -> None:
    at = _place(content, chance)
    del content[at : at + min(chance.choice((1, 2, 100)), len(content) - 1)]


def _zeroed_run(content: bytearray, chance: random.Random) -> None:
    at = _place(content, chance)
    length = min(chance.choice((4, 64, 1000)), len(content) - at)
    content[at : at + length] = bytes(length)


def _swapped_chunks(content: bytearray, chance: random.Random) -> None:
    size = max(1, len(content) // chance.choice((4, 16, 64)))
    chunks = [content[at : at + size] for at in range(0, len(content), size)]
    one, other = chance.randrange(len(chunks)), chance.randrange(len(chunks))
    chunks[one], chunks[other] = chunks[other], chunks[one]
    content[:] = b"".join(chunks)


def _repeated_chunk(content: bytearray, chance: random.Random) -> None:
    at = _place(content, chance)
    chunk = content[at : at + chance.choice((16, 256, 4096))]
    content[at:at] = chunk * chance.choice((1, 10, 100))


def _huge_binary_number(content: bytearray, chance: random.Random) -> None:
    at = chance.randrange(min(len(content), 600))
    number = chance.choice((0, 1, 0x7FFF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1))
    packed = struct.pack(chance.choice((">I", "<I")), number)
    content[at : at + 4] = packed[: chance.choice((2, 4))]


def _huge_written_number(content: bytearray, chance: random.Random) -> None:
    numbers = [*re.finditer(rb"\d+", content[:4000] + content[-4000:])]
    if numbers:
        number = chance.choice(numbers)[0]
        at = content.find(number)
        value = chance.choice((b"0", b"-1", b"2147483648", b"1" * 40, b"1e9", b"NaN"))
        content[at : at + len(number)] = value


_CHANGES: tuple[Callable[[bytearray, random.Random], None], ...] = (
    _flipped_bits,
    _inserted_bytes,
    _removed_bytes,
    _zeroed_run,
    _swapped_chunks,
    _repeated_chunk,
    _huge_binary_number,
    _huge_written_number,
)
