"""The files of the page, read once from the package."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import PurePath
from typing import Final

MEDIA_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
# Text of documents may say anything: nothing inline runs, nothing is loaded from elsewhere, nothing
# is framed, and no script of ours can turn a string into markup.
_POLICY: Final = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
)
HEADERS: Final = {
    "Content-Security-Policy": "; ".join(_POLICY),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    # Asked for each time and answered with 304, so that no part is older than the others.
    "Cache-Control": "no-cache",
}

PAGE: Final = "/"
INDEX: Final = "index.html"
FOLDER: Final = "/page"


@dataclass(frozen=True)
class PageFile:
    """A file of the page.

    Attributes:
        etag: changes with the content; quoted as HTTP wants it.
    """

    content: bytes
    media_type: str
    etag: str


def page_files() -> Mapping[str, PageFile]:
    """Return all files of the page by name."""
    return {
        item.name: _page_file(item.name, item.read_bytes())
        for item in resources.files(__package__).iterdir()
        if PurePath(item.name).suffix in MEDIA_TYPES
    }


def _page_file(name: str, content: bytes) -> PageFile:
    digest = hashlib.sha256(content).hexdigest()[:32]
    return PageFile(content, MEDIA_TYPES[PurePath(name).suffix], f'"{digest}"')


FILES: Final = page_files()
PAGE_PATHS: Final = frozenset({PAGE, *(f"{FOLDER}/{name}" for name in FILES)})
"""Paths that a browser asks for before it can send a token. What they hold is no secret."""
