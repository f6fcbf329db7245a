"""The site as `make docs` builds it."""

import re
from pathlib import Path

import pytest
from docparser_site import pages, site
from mkdocs.exceptions import Abort

LOADED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\ssrc=\"([^\"]+)|<link\b[^>]*\shref=\"([^\"]+)"
)
FETCHED_BY_STYLE = re.compile(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    site.write(folder, pages.texts(), pages.navigation())
    return folder


def test_each_page_is_in_the_table_of_contents(built: Path) -> None:
    home = (built / "index.html").read_text()
    linked = set(re.findall(r'href="([^"#:]+\.html)"', home)) | {"index.html"}
    assert {page.replace(".md", ".html") for page in pages.texts()} <= linked


def test_what_a_page_loads_lies_beside_it(built: Path) -> None:
    for page in built.rglob("*.html"):
        loaded = [one or other for one, other in LOADED.findall(page.read_text())]
        assert loaded or page.name == "404.html"
        if page.name != "404.html":  # its paths start at the server's root
            missing = [name for name in loaded if not (page.parent / name.split("?")[0]).exists()]
            assert missing == [], page.name


def test_no_page_or_style_fetches_from_elsewhere(built: Path) -> None:
    pages_of_site = [page.read_text() for page in built.rglob("*.html")]
    loaded = [one or other for text in pages_of_site for one, other in LOADED.findall(text)]
    assert [name for name in loaded if re.match(r"(?:https?:)?//", name)] == []
    styles = [
        path.name for path in built.rglob("*.css") if FETCHED_BY_STYLE.search(path.read_text())
    ]
    assert styles == []


@pytest.mark.parametrize("text", ["[x](gone.md)", "[x](b.md#gone)", "[x](#gone)"])
def test_a_broken_link_fails_the_build(tmp_path: Path, text: str) -> None:
    with pytest.raises(Abort):
        site.write(tmp_path, {"index.md": text, "b.md": "# B"}, [{"A": "index.md"}, {"B": "b.md"}])


def test_a_page_that_the_contents_leave_out_fails_the_build(tmp_path: Path) -> None:
    with pytest.raises(Abort):
        site.write(tmp_path, {"index.md": "# A", "b.md": "# B"}, [{"A": "index.md"}])
