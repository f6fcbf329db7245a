"""Small images, encoded in every way."""

import io

from PIL import Image


def encoded(image: Image.Image, name: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, name, **options)
    return buffer.getvalue()


def half_black(mode: str = "L") -> Image.Image:
    """Return an image whose upper half is black, 40 wide and 20 high."""
    image = Image.new("L", (40, 20), 255)
    image.paste(0, (0, 0, 40, 10))
    return image.convert(mode)


def frames(count: int, size: tuple[int, int] = (8, 8)) -> bytes:
    images = [Image.new("L", size, index) for index in range(count)]
    return encoded(images[0], "TIFF", save_all=True, append_images=images[1:])
