"""What a page looks like once it is printed: images of every mode as RGB with 8 bits, on white."""

from PIL import Image

_SIXTEEN_TO_EIGHT_BITS = 1 / 257
_WHITE = (255, 255, 255)


def rgb_image(image: Image.Image) -> Image.Image:
    """Return `image` as RGB with 8 bits; what is transparent becomes white."""
    if image.mode.startswith("I"):
        image = image.convert("I").point(lambda value: value * _SIXTEEN_TO_EIGHT_BITS).convert("L")
    elif image.mode == "F":
        image = _stretched(image)
    elif image.mode == "LAB":
        # Pillow converts it only by way of colour profiles; for reading, lightness will do.
        image = image.getchannel("L")
    if image.has_transparency_data:
        image = image.convert("RGBA")
        page = Image.new("RGB", image.size, _WHITE)
        page.paste(image, mask=image.getchannel("A"))
        return page
    return image.convert("RGB")


def _stretched(image: Image.Image) -> Image.Image:
    """Return an image of real numbers as grey levels: its own range becomes black to white."""
    low, high = image.getextrema()
    if not isinstance(low, float) or not isinstance(high, float) or not high > low:
        return Image.new("L", image.size, 255)
    scale = 255 / (high - low)
    return image.point(lambda value: value * scale - low * scale).convert("L")
