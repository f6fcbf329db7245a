"""The client against a server on loopback that answers as it is told."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from docparser_kubectl.cluster import KubernetesCluster
from docparser_kubectl.errors import Failure, Refused, Unreachable
from docparser_operator import kinds
from kubernetes.client import ApiClient, Configuration

Answer = tuple[int, str]


class Server(ThreadingHTTPServer):
    """Answers each request with the next of `answers`, and keeps what was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[Answer] = []
        self.asked: list[dict[str, Any]] = []


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def answer(self) -> None:
        url = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        self.server.asked.append(
            {
                "verb": self.command,
                "path": url.path,
                "query": {key: values[0] for key, values in parse_qs(url.query).items()},
                "type": self.headers.get("Content-Type"),
                "body": json.loads(body) if body else None,
            }
        )
        status, text = self.server.answers.pop(0)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_POST = do_PATCH = answer  # noqa: N815 (the library looks for these names)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the library's name)
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    thread = threading.Thread(target=running.serve_forever, args=(0.01,))
    thread.start()
    yield running
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.fixture
def cluster(server: Server) -> Iterator[KubernetesCluster]:
    configuration = Configuration()
    configuration.host = f"http://127.0.0.1:{server.server_port}"
    with ApiClient(configuration) as client:
        yield KubernetesCluster(client, "ocr")
        client.rest_client.pool_manager.clear()


def status(code: int, message: str) -> Answer:
    return code, json.dumps({"kind": "Status", "message": message})


def test_a_list_is_read_page_by_page(server: Server, cluster: KubernetesCluster) -> None:
    first = {"metadata": {"continue": "t"}, "items": [{"metadata": {"name": "a"}}]}
    second = {"metadata": {}, "items": [{"metadata": {"name": "b"}}]}
    server.answers = [(200, json.dumps(first)), (200, json.dumps(second))]
    found = cluster.list(kinds.POD, "x=y")
    assert [(o["kind"], o["metadata"]["name"]) for o in found] == [("Pod", "a"), ("Pod", "b")]
    assert [asked["path"] for asked in server.asked] == ["/api/v1/namespaces/ocr/pods"] * 2
    assert server.asked[1]["query"] == {"limit": "500", "labelSelector": "x=y", "continue": "t"}


def test_nodes_are_listed_everywhere(server: Server, cluster: KubernetesCluster) -> None:
    server.answers = [(200, '{"metadata": {}, "items": []}')]
    assert cluster.list(kinds.NODE, everywhere=True) == []
    assert server.asked[0]["path"] == "/api/v1/nodes"


def test_annotations_are_merged_into_one_version(
    server: Server, cluster: KubernetesCluster
) -> None:
    server.answers = [(200, "{}")]
    cluster.annotate("reader", "7", {"a": "1", "b": None})
    asked = server.asked[0]
    assert (asked["verb"], asked["type"]) == ("PATCH", "application/merge-patch+json")
    assert asked["path"].endswith("/namespaces/ocr/docparserdeployments/reader")
    metadata = {"resourceVersion": "7", "annotations": {"a": "1", "b": None}}
    assert asked["body"] == {"metadata": metadata}


def test_the_api_server_tells_who_asks(server: Server, cluster: KubernetesCluster) -> None:
    server.answers = [(201, '{"status": {"userInfo": {"username": "ada"}}}')]
    assert cluster.user() == "ada"
    asked = server.asked[0]
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    assert (asked["verb"], asked["path"]) == ("POST", path)


@pytest.mark.parametrize("answer", [(403, "{}"), (404, "{}"), (503, ""), (201, "{}")])
def test_a_user_who_is_not_told_has_no_name(
    answer: Answer, server: Server, cluster: KubernetesCluster
) -> None:
    server.answers = [answer]
    assert cluster.user() is None


def test_a_trial_is_never_stored(server: Server, cluster: KubernetesCluster) -> None:
    server.answers = [(200, "{}")] * 3
    cluster.try_create({"metadata": {"name": "reader"}})
    cluster.try_merge("reader", {})
    cluster.try_apply({"metadata": {"name": "reader"}}, "argocd")
    assert [asked["query"]["dryRun"] for asked in server.asked] == ["All"] * 3
    assert [asked["query"]["fieldValidation"] for asked in server.asked] == ["Strict"] * 3
    assert server.asked[2]["query"]["fieldManager"] == "argocd"
    assert server.asked[2]["type"] == "application/apply-patch+yaml"


REFUSALS: dict[str, tuple[Answer, type[Failure], str]] = {
    "not found": (status(404, "no such thing"), Refused, "no such thing"),
    "an unknown path": ((404, "404 page not found\n"), Refused, "/pods/a: 404 page not found"),
    "forbidden": (status(403, "you may not"), Refused, "you may not"),
    "overloaded": (status(429, "later"), Unreachable, "not able to answer: later"),
    "broken": ((503, ""), Unreachable, "not able to answer"),
    "no API server": ((200, "<html>"), Failure, "is this a Kubernetes API server"),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_refusals(what: str, server: Server, cluster: KubernetesCluster) -> None:
    answer, kind, words = REFUSALS[what]
    server.answers = [answer]
    with pytest.raises(kind) as refused:
        cluster.get(kinds.POD, "a")
    assert words in str(refused.value)


def test_no_server_at_all() -> None:
    configuration = Configuration()
    configuration.host = "http://127.0.0.1:1"
    configuration.retries = False
    with (
        ApiClient(configuration) as client,
        pytest.raises(Unreachable, match=r"no answer from http://127\.0\.0\.1:1"),
    ):
        KubernetesCluster(client, "ocr").get(kinds.POD, "a")


def test_a_watch_ends_with_the_first_event_or_its_time(
    server: Server, cluster: KubernetesCluster
) -> None:
    server.answers = [(200, '{"type": "MODIFIED", "object": {}}\n'), (200, "")]
    cluster.wait_for_change("reader", "7", 3)
    cluster.wait_for_change("reader", "7", 3)
    assert server.asked[0]["query"] == {
        "watch": "true",
        "fieldSelector": "metadata.name=reader",
        "resourceVersion": "7",
        "timeoutSeconds": "3",
    }


def test_control_characters_do_not_get_in(server: Server, cluster: KubernetesCluster) -> None:
    server.answers = [(200, '{"message": "\\u001b[31m"}'), status(403, "\u001b[31m")]
    assert cluster.get(kinds.POD, "a")["message"] == "\N{REPLACEMENT CHARACTER}[31m"
    with pytest.raises(Refused, match=r"^\N{REPLACEMENT CHARACTER}\[31m$"):
        cluster.get(kinds.POD, "a")
