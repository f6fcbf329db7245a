"""How the files of the web page are sent."""

import re

import pytest
from docparser_runtime.page.files import FILES, PAGE_PATHS
from unit.runtime.doubles import Service


async def test_the_page_may_load_nothing_from_elsewhere_and_run_nothing_inline(
    service: Service,
) -> None:
    answer = await service.client.get("/")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'"} <= set(policy)
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert not re.search(r"<style|\bstyle=|\son\w+=|<script>|https?://|//\w", answer.text)


@pytest.mark.parametrize("path", sorted(PAGE_PATHS))
async def test_a_file_that_is_known_is_not_sent_again(service: Service, path: str) -> None:
    first = await service.client.get(path)
    assert (first.status_code, first.headers["cache-control"]) == (200, "no-cache")
    assert first.headers["x-content-type-options"] == "nosniff"
    again = await service.client.get(path, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = await service.client.get(path, headers={"if-none-match": '"other"'})
    assert (other.status_code, other.content) == (200, first.content)


@pytest.mark.parametrize("name", ["nothing.js", "__init__.py", "files.py", "..%2fapp.py", ""])
async def test_nothing_but_the_page_is_sent(service: Service, name: str) -> None:
    answer = await service.client.get(f"/page/{name}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_every_file_that_is_named_exists_and_every_file_is_named() -> None:
    texts = "\n".join(file.content.decode() for file in FILES.values())
    named = set(re.findall(r"page/([\w.]+)", FILES["index.html"].content.decode()))
    named |= set(re.findall(r'from "\./([\w.]+)"', texts))
    assert named == set(FILES) - {"index.html"}


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".js")])
def test_no_script_can_turn_a_string_into_markup_or_code(name: str) -> None:
    script = FILES[name].content.decode()
    assert not re.search(
        r"innerHTML|outerHTML\s*=|insertAdjacentHTML|document\.write|DOMParser|\beval\(|Function\(",
        script,
    )
    assert len(script.splitlines()) <= 250
