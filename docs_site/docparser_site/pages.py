"""The pages of the site and their order."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from docparser_site import api_reference, links

REPOSITORY = Path(__file__).parents[2]
API = "api.md"
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Run it": (
        "installation",
        "topologies",
        "weights",
        "gpu-engines",
        "gpu-sizing",
        "security",
        "storage",
    ),
    "Change it": ("rollouts", "kubectl", "analysis", "golden-documents", "rollback"),
    "Scale it": ("autoscaling", "autoscaling-simulation"),
    "Watch it": ("observability", "troubleshooting", "runbooks"),
    "Use it": ("clients", "tasks", "callbacks", "web-page", "verification"),
}


def places() -> dict[str, str]:
    """Return the page on the site of each document, by its path in the repository."""
    documents = sorted((REPOSITORY / "docs").rglob("*.md"))
    return {
        "README.md": "index.md",
        "CONTRIBUTING.md": "contributing.md",
        "CHANGELOG.md": "changelog.md",
        **{
            path.relative_to(REPOSITORY).as_posix(): path.relative_to(
                REPOSITORY / "docs"
            ).as_posix()
            for path in documents
        },
    }


def texts() -> dict[str, str]:
    """Return the Markdown of all pages, by page."""
    of_documents = places()
    crd = yaml.safe_load((REPOSITORY / "crds/docparserdeployments.yaml").read_text())
    return {
        API: api_reference.page(crd),
        **{
            page: links.on_site((REPOSITORY / source).read_text(), source, of_documents)
            for source, page in of_documents.items()
        },
    }


def navigation() -> list[dict[str, Any]]:
    """Return the site's table of contents; a page that it leaves out fails the build."""
    decisions = sorted(page for page in places().values() if page.startswith("adr/"))
    return [
        {"Start": "index.md"},
        *({title: [f"{name}.md" for name in names]} for title, names in SECTIONS.items()),
        {"Reference": [API, "changelog.md"]},
        {"How it is made": ["life-of-a-request.md", "contributing.md", {"Decisions": decisions}]},
    ]
