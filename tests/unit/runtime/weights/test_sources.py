"""S3, web servers and the layout of Hugging Face, with what goes wrong there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from docparser_api.names import WEIGHTS_MANIFEST_FILE
from docparser_runtime.weights.credentials import Credentials
from docparser_runtime.weights.errors import Code, WeightsError
from support.file_server import Fault, FileServer, Request
from support.s3_signature import Keys
from unit.runtime.weights.model import BIG, SIZES, TOTAL, Pod

pytestmark = pytest.mark.thorough  # servers of its own

TOKEN = "canary-token"
KEYS = Keys("canary-key-id", "canary-secret", "canary-session")


def source_of(kind: str, pod: Pod) -> dict[str, Any]:
    url = pod.server.url
    return {
        "http": {"http": {"url": f"{url}/files/"}},
        "s3": {"s3": {"bucket": "files", "endpoint": url}},
        "s3 with prefix": {"s3": {"bucket": "files", "prefix": "/deep/er/", "endpoint": url}},
        "huggingface": {
            "huggingFace": {"repository": "org/model", "revision": "main", "endpoint": url}
        },
    }[kind]


@pytest.fixture(params=["http", "s3", "s3 with prefix", "huggingface"])
def source(request: pytest.FixtureRequest, pod: Pod, served: Path) -> dict[str, Any]:
    """Return each kind of source in turn; the files lie where it expects them."""
    places = {"s3 with prefix": "files/deep/er", "huggingface": "org/model/resolve/main"}
    if request.param in places:
        place = served.parent / places[request.param]
        aside = served.rename(served.parent / "aside")
        place.parent.mkdir(parents=True)
        aside.rename(place)
    return source_of(request.param, pod)


def is_s3(source: dict[str, Any]) -> bool:
    return "s3" in source


def with_access(pod: Pod, source: dict[str, Any]) -> Pod:
    """Return the pod with credentials that its server demands."""
    if is_s3(source):
        pod.server.keys = KEYS
        return pod.having(
            credentials=Credentials(KEYS.access_key_id, KEYS.secret_access_key, KEYS.session_token)
        )
    pod.server.token = TOKEN
    return pod.having(credentials=Credentials(token=TOKEN))


def on(name: str, *faults: Fault, then: Fault | None = None) -> Callable[[Request], Fault | None]:
    """Return what lets the first requests for a file fail, one after the other."""
    left = iter(faults)

    def fault(request: Request) -> Fault | None:
        return next(left, then) if request.path.endswith(f"/{name}") else None

    return fault


def test_each_source_gives_the_weights(pod: Pod, source: dict[str, Any]) -> None:
    pod.fetch(source=source)
    assert {name: len(content) for name, content in pod.files().items()} == SIZES


def test_credentials_open_the_source(pod: Pod, source: dict[str, Any]) -> None:
    with_access(pod, source).fetch(source=source)
    assert sum(len(content) for content in pod.files().values()) == TOTAL


@pytest.mark.parametrize("credentials", [Credentials(), Credentials("key", "bad", None, "bad")])
def test_without_the_right_credentials_access_is_denied_at_once(
    pod: Pod, source: dict[str, Any], credentials: Credentials
) -> None:
    with pytest.raises(WeightsError) as refusal:
        with_access(pod, source).having(credentials=credentials).fetch(source=source)
    assert refusal.value.code == Code.ACCESS_DENIED
    assert "secretRef" in refusal.value.message
    assert len(pod.server.requests) == 1


@pytest.mark.parametrize("name", [WEIGHTS_MANIFEST_FILE, BIG])
def test_a_missing_file_is_named_at_once(pod: Pod, source: dict[str, Any], name: str) -> None:
    pod.server.fault = on(name, then=Fault(status=404))
    with pytest.raises(WeightsError) as refusal:
        pod.fetch(source=source)
    assert (refusal.value.code, refusal.value.file) == (Code.FILE_MISSING, name)
    starts = [request.start for request in pod.server.asked(name)]
    assert len(starts) == len(set(starts))


@pytest.mark.parametrize("fault", [Fault(status=500), Fault(breaks_after=10)])
@pytest.mark.parametrize("name", [WEIGHTS_MANIFEST_FILE, BIG])
def test_what_may_pass_is_tried_again(
    pod: Pod, source: dict[str, Any], fault: Fault, name: str
) -> None:
    pod.server.fault = on(name, fault, fault)
    pod.fetch(source=source)
    assert sum(len(content) for content in pod.files().values()) == TOTAL


@pytest.mark.parametrize("status", [408, 429, 503])
def test_a_busy_server_is_asked_again(pod: Pod, status: int) -> None:
    pod.server.fault = on(BIG, Fault(status=status), Fault(status=status))
    pod.fetch()
    assert len(pod.files()[BIG]) == SIZES[BIG]


def test_any_other_refusal_is_final(pod: Pod) -> None:
    pod.server.fault = on(BIG, then=Fault(status=400))
    with pytest.raises(WeightsError, match="status 400") as refusal:
        pod.fetch()
    assert refusal.value.code == Code.SOURCE_UNAVAILABLE
    starts = [request.start for request in pod.server.asked(BIG)]
    assert len(starts) == len(set(starts))


def test_a_broken_answer_is_continued_not_repeated(pod: Pod) -> None:
    pod.server.fault = on(BIG, Fault(breaks_after=1000))
    pod.fetch()
    # What was under way in the cut connection may be lost, but no more.
    assert SIZES[BIG] <= sum(pod.server.sent[path] for path in pod.server.sent if BIG in path)
    assert pod.server.sent[f"/files/{BIG}"] <= SIZES[BIG] + 1000


def test_patience_ends(pod: Pod, source: dict[str, Any]) -> None:
    pod.server.fault = on(BIG, then=Fault(status=503))
    with pytest.raises(WeightsError) as refusal:
        pod.fetch(source=source, connections=1)
    assert (refusal.value.code, refusal.value.file) == (Code.SOURCE_UNAVAILABLE, BIG)
    assert "503" in refusal.value.message
    assert [request.start for request in pod.server.asked(BIG)].count(0) == 3


def test_a_range_behind_the_end_means_a_short_file(pod: Pod, source: dict[str, Any]) -> None:
    pod.server.fault = on(BIG, then=Fault(status=416))
    with pytest.raises(WeightsError) as refusal:
        pod.fetch(source=source)
    assert (refusal.value.code, refusal.value.file) == (Code.FILE_SHORT, BIG)


def test_nobody_listens(pod: Pod) -> None:
    with FileServer(pod.places.cache).running() as other:
        gone = other.url
    with pytest.raises(WeightsError) as refusal:
        pod.fetch(source={"http": {"url": gone}})
    assert refusal.value.code == Code.SOURCE_UNAVAILABLE
    assert "127.0.0.1 does not answer" in refusal.value.message


def test_no_secret_is_told(pod: Pod, source: dict[str, Any]) -> None:
    secrets = Credentials("canary-key-id", "canary-secret", "canary-session", "canary-token")
    pod.server.fault = on(BIG, then=Fault(status=503))
    with pytest.raises(WeightsError) as refusal:
        pod.having(credentials=secrets).fetch(source=source)
    told = f"{refusal.value} {pod.stream.getvalue()} {secrets!r}"
    assert "canary" not in told


def test_secrets_are_taken_out_of_foreign_messages() -> None:
    secrets = Credentials(token="s3cr3t")
    text = "GET https://user:pw@host/x?X-Amz-Signature=abc with s3cr3t"
    assert secrets.redacted(text) == "GET https://***host/x?*** with ***"
