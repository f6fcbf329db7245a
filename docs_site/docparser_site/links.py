"""Links of a document, from its place in the repository to its place on the site."""

import posixpath
import re
from collections.abc import Mapping

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)\s#]+)(#[^)\s]+)?\)")


def on_site(text: str, source: str, places: Mapping[str, str]) -> str:
    """Return `text` with links that hold on the site.

    Args:
        text: Markdown of the document `source`.
        source: path of the document from the root of the repository.
        places: page on the site by path in the repository. What has none is a file of the
            repository only: its name stands there instead of a link that would lead nowhere.
    """

    def moved(link: re.Match[str]) -> str:
        label, target, anchor = link[1], link[2], link[3] or ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if path in places:
            here = posixpath.dirname(places[source])
            return f"[{label}]({posixpath.relpath(places[path], here or '.')}{anchor})"
        return f"`{path}`" if label.strip("`") == path else f"{label} (`{path}`)"

    return LINK.sub(moved, text)


def slug(heading: str, separator: str) -> str:
    """Return the anchor of `heading` as code hosts make it, words joined by `separator`."""
    return re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", separator)
