import pytest
from docparser_site import links

PLACES = {"README.md": "index.md", "docs/a.md": "a.md", "docs/adr/1.md": "adr/1.md"}


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("README.md", "[A](docs/a.md#x)", "[A](a.md#x)"),
        ("docs/a.md", "[home](../README.md)", "[home](index.md)"),
        ("docs/adr/1.md", "[A](../a.md)", "[A](../a.md)"),
        ("docs/adr/1.md", "[home](../../README.md#x)", "[home](../index.md#x)"),
        ("docs/a.md", "[the rules](../charts/rules)", "the rules (`charts/rules`)"),
        ("docs/a.md", "[`charts/rules`](../charts/rules)", "`charts/rules`"),
        ("docs/a.md", "[here](#x) [there](https://x.org/y)", "[here](#x) [there](https://x.org/y)"),
    ],
)
def test_a_link_holds_on_the_site(source: str, text: str, expected: str) -> None:
    assert links.on_site(text, source, PLACES) == expected


def test_anchors_are_those_of_code_hosts() -> None:
    assert links.slug("At 3 a.m.: what `rollback` does - and not", "-") == (
        "at-3-am-what-rollback-does---and-not"
    )
