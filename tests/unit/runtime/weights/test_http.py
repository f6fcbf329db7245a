"""Ranges that are ignored, redirects and addresses: what only web servers do."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from docparser_api.weights import Weights
from docparser_runtime.weights.credentials import Credentials
from docparser_runtime.weights.errors import Code, WeightsError
from docparser_runtime.weights.manifest import File
from docparser_runtime.weights.sources import http, huggingface
from pydantic import ValidationError
from support.file_server import Fault, FileServer, Request
from unit.runtime.weights.model import BIG, TOTAL, Pod

TOKEN = "canary-token"


def test_a_server_without_ranges_gives_whole_files(pod: Pod) -> None:
    pod.server.fault = lambda _: Fault(whole=True)
    pod.fetch()
    assert sum(len(content) for content in pod.files().values()) == TOTAL
    assert "weights_ranges_ignored" in pod.events()
    assert (pod.server.asked(BIG)[-1].start, pod.server.asked(BIG)[-1].end) == (0, None)


def test_a_whole_file_that_breaks_off_is_begun_again(pod: Pod) -> None:
    left = [Fault(whole=True, breaks_after=5000)]

    def fault(request: Request) -> Fault | None:
        whole = request.path.endswith(BIG) and request.end is None
        return left.pop() if whole and left else Fault(whole=True)

    pod.server.fault = fault
    pod.fetch()
    assert sum(len(content) for content in pod.files().values()) == TOTAL


@pytest.fixture
def other(served: Path) -> Iterator[FileServer]:
    """Yield a second server with the same files, on another port."""
    with FileServer(served).running() as server:
        yield server


def test_a_redirect_to_another_host_loses_the_token(pod: Pod, other: FileServer) -> None:
    pod.server.token = TOKEN
    pod.server.fault = lambda request: (
        Fault(status=302, location=f"{other.url}/{request.path.removeprefix('/files/')}")
        if request.authorization == f"Bearer {TOKEN}"
        else None
    )
    pod.having(credentials=Credentials(token=TOKEN)).fetch()
    assert sum(len(content) for content in pod.files().values()) == TOTAL
    assert {request.authorization for request in other.requests} == {None}


def test_a_redirect_on_the_same_host_keeps_the_token(pod: Pod) -> None:
    pod.server.token = TOKEN
    pod.server.fault = lambda request: (
        Fault(status=307, location=request.path.replace("/moved/", "/files/"))
        if request.path.startswith("/moved/")
        else None
    )
    source = {"http": {"url": f"{pod.server.url}/moved"}}
    pod.having(credentials=Credentials(token=TOKEN)).fetch(source=source)
    assert sum(len(content) for content in pod.files().values()) == TOTAL


def test_redirects_end(pod: Pod) -> None:
    pod.server.fault = lambda request: Fault(status=302, location=request.path)
    with pytest.raises(WeightsError, match="redirects without end") as refusal:
        pod.fetch()
    assert refusal.value.code == Code.SOURCE_UNAVAILABLE


@pytest.mark.parametrize("target", ["http://b/x", "ftp://b/x", "file:///etc/passwd", "http://[x"])
def test_a_redirect_out_of_tls_is_refused(target: str) -> None:
    with pytest.raises(WeightsError, match="redirects to"):
        http._redirected(httpx.URL("https://a/x"), target, "x")


def test_an_answer_with_another_range_is_refused() -> None:
    response = httpx.Response(206, headers={"Content-Range": "bytes 5-9/10"})
    with pytest.raises(WeightsError, match="another range"):
        http._check(response, File(path="a", size=10, sha256="0" * 64), 0, 5)


def test_addresses_are_escaped() -> None:
    weights = Weights.model_validate(
        {
            "version": "v1",
            "source": {"huggingFace": {"repository": "org/model", "revision": "refs/pr/1"}},
            "manifest": {"sha256": "0" * 64},
        }
    )
    assert weights.source.hugging_face is not None
    address = huggingface.address(weights.source.hugging_face)
    assert address == "https://huggingface.co/org/model/resolve/refs%2Fpr%2F1"


@pytest.mark.parametrize(
    "url", ["https://user:secret@host/x", "https://host/x?token=secret", "ftp://host", "https://"]
)
def test_an_address_with_credentials_is_refused(pod: Pod, url: str) -> None:
    with pytest.raises(ValidationError):
        pod.weights(source={"http": {"url": url}})
    assert pod.weights(source={"http": {"url": "https://host:1/a@b"}}).is_fetched
