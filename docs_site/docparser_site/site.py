"""The build: Markdown in, HTML out, by MkDocs. A broken link, anchor or table of contents fails."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mkdocs.commands.build import build
from mkdocs.config import load_config

from docparser_site import links


def write(target: Path, texts: Mapping[str, str], navigation: Sequence[Mapping[str, Any]]) -> None:
    """Write the site to the folder `target`, whose former content is removed.

    Args:
        target: folder of the HTML.
        texts: Markdown by page.
        navigation: table of contents, as MkDocs has it.

    Raises:
        mkdocs.exceptions.Abort: a link, an anchor or the table of contents is broken.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "pages"
        for page, text in texts.items():
            path = source / page
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        settings = Path(folder) / "mkdocs.yml"
        settings.write_text("site_name: DocParser\n")
        config = load_config(
            str(settings),
            docs_dir=str(source),
            site_dir=str(target.resolve()),
            nav=list(navigation),
            strict=True,
            # The pages are also read from a folder, without a server.
            use_directory_urls=False,
            # The highlighter would be fetched from elsewhere by who reads the page.
            theme={"name": "mkdocs", "highlightjs": False, "navigation_depth": 2},
            markdown_extensions=[{"toc": {"slugify": links.slug, "permalink": True}}],
            validation={
                "nav": {"omitted_files": "warn", "not_found": "warn"},
                "links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"},
            },
        )
        build(config)
