"""What the process may take and how it draws; fixed when it is started."""

import json
from dataclasses import asdict, dataclass

LONGEST_SIDE = 20_000
"""Most pixels of a side of a page. What reads a page scales its short side up, so a strip of few
pixels could cost more memory than any sheet; at 600 dpi this is a sheet of 84 cm."""


@dataclass(frozen=True)
class Limits:
    """Bounds of one document.

    Attributes:
        memory_bytes: address space on top of what the idle process has.
        page_cpu_seconds: CPU time for opening, and again for each page.
        pages: most pages.
        page_pixels: most pixels of a page.
        dpi: resolution of PDF pages that fit `page_pixels`.
    """

    memory_bytes: int
    page_cpu_seconds: int
    pages: int
    page_pixels: int
    dpi: int

    def dumps(self) -> str:
        """Return a text from which `loads` makes the same value."""
        return json.dumps(asdict(self))

    @classmethod
    def loads(cls, text: str) -> "Limits":
        """Return the value that `dumps` wrote."""
        return cls(**json.loads(text))
