"""The client against a server that answers as told: what each answer means, what is sent."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web
from docparser_operator.cluster import KubernetesCluster, unsurprised
from docparser_operator.errors import ApiError, ConflictError, NotFoundError, UnavailableError
from docparser_operator.kinds import DEPLOYMENT, DOC_PARSER, EVENT, LEASE, SERVICE, Ref
from kubernetes.aio.client import ApiClient, Configuration

REF = Ref(DEPLOYMENT, "default", "reader")
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """An API server that answers with `answer` and remembers what it was asked."""

    def __init__(self) -> None:
        self.answer: Answer = self.echo
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.counted: list[str] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append((request.method, request.path, dict(request.query)))
        text = await request.text()
        self.bodies.append(json.loads(text) if text else None)
        self.headers.append(dict(request.headers))
        return await self.answer(request)

    async def echo(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response(self.bodies[-1] or {"kind": "Deployment"})

    def says(self, status: int, message: str = "words", **headers: str) -> None:
        async def answer(_request: web.Request) -> web.StreamResponse:
            return web.json_response({"message": message}, status=status, headers=headers)

        self.answer = answer


Pair = tuple[Server, KubernetesCluster]


@pytest.fixture
async def pair() -> AsyncIterator[Pair]:
    server = Server()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", server.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    client = ApiClient(Configuration(host=f"http://{host}:{port}"))
    cluster = KubernetesCluster(client, lambda verb, _kind: server.counted.append(verb))
    yield server, cluster
    await cluster.close()
    await runner.cleanup()


ERRORS = {
    404: NotFoundError,
    409: ConflictError,
    400: ApiError,
    403: ApiError,
    410: ApiError,
    422: ApiError,
    401: UnavailableError,
    408: UnavailableError,
    429: UnavailableError,
    500: UnavailableError,
    503: UnavailableError,
}


@pytest.mark.parametrize("status", ERRORS)
async def test_each_status_is_an_error_of_its_kind(pair: Pair, status: int) -> None:
    server, cluster = pair
    server.says(status, "the server's words")
    with pytest.raises(ERRORS[status], match="the server's words"):
        await cluster.get(REF)


async def test_the_wait_that_the_server_asks_for_is_told(pair: Pair) -> None:
    server, cluster = pair
    server.says(429, **{"Retry-After": "7"})
    with pytest.raises(UnavailableError) as caught:
        await cluster.get(REF)
    assert caught.value.retry_after_seconds == 7


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"kind": "Depl'])
async def test_an_answer_that_is_no_json_counts_as_lost(pair: Pair, body: bytes) -> None:
    server, cluster = pair

    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.Response(body=body)

    server.answer = answer
    with pytest.raises(UnavailableError, match="not JSON"):
        await cluster.get(REF)


async def test_an_error_that_is_no_json_keeps_its_beginning(pair: Pair) -> None:
    server, cluster = pair

    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.Response(body=b"<html>bad gateway", status=502)

    server.answer = answer
    with pytest.raises(UnavailableError, match="bad gateway"):
        await cluster.get(REF)


async def test_a_connection_that_breaks_counts_as_lost(pair: Pair) -> None:
    server, cluster = pair

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b'{"kind":')
        assert request.transport is not None
        request.transport.close()
        return response

    server.answer = answer
    with pytest.raises(UnavailableError):
        await cluster.get(REF)


async def test_a_server_that_is_not_there_is_unavailable(pair: Pair) -> None:
    _server, cluster = pair
    cluster._client.configuration.host = "http://127.0.0.1:1"
    with pytest.raises(UnavailableError):
        await cluster.get(REF)


async def test_apply_sends_the_whole_manifest_with_our_name(pair: Pair) -> None:
    server, cluster = pair
    manifest = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "reader", "namespace": "default"},
    }
    assert await cluster.apply(manifest, force=True) == manifest
    path = "/apis/apps/v1/namespaces/default/deployments/reader"
    query = {"fieldManager": "docparser-operator", "force": "true"}
    assert server.requests == [("PATCH", path, query)]
    assert server.headers[0]["Content-Type"] == "application/apply-patch+yaml"
    assert server.counted == ["PATCH"]


async def test_delete_names_what_it_means(pair: Pair) -> None:
    server, cluster = pair
    await cluster.delete(REF, "u", "5")
    assert server.bodies[0]["preconditions"] == {"uid": "u", "resourceVersion": "5"}


async def test_the_status_is_merged_into_the_known_version(pair: Pair) -> None:
    server, cluster = pair
    await cluster.patch_status(Ref(DOC_PARSER, "a", "b"), "5", {"summary": None})
    path = "/apis/docparser.dev/v1alpha1/namespaces/a/docparserdeployments/b/status"
    assert server.requests[0][:2] == ("PATCH", path)
    assert server.bodies == [{"metadata": {"resourceVersion": "5"}, "status": {"summary": None}}]
    assert server.headers[0]["Content-Type"] == "application/merge-patch+json"


async def test_create_and_replace_use_the_right_paths(pair: Pair) -> None:
    server, cluster = pair
    await cluster.create(EVENT, "a", {"metadata": {"name": "e"}})
    await cluster.replace(LEASE, "a", {"metadata": {"name": "l"}})
    assert [request[:2] for request in server.requests] == [
        ("POST", "/api/v1/namespaces/a/events"),
        ("PUT", "/apis/coordination.k8s.io/v1/namespaces/a/leases/l"),
    ]


async def test_all_pages_are_listed_as_of_one_moment(pair: Pair) -> None:
    server, cluster = pair

    async def answer(request: web.Request) -> web.StreamResponse:
        first = "continue" not in request.query
        metadata = {"resourceVersion": "77", **({"continue": "more"} if first else {})}
        item = {"metadata": {"name": "a" if first else "b"}}
        return web.json_response({"metadata": metadata, "items": [item]})

    server.answer = answer
    listing = await cluster.list(SERVICE, None, "a=b")
    assert listing.version == 77
    assert [item["metadata"]["name"] for item in listing.items] == ["a", "b"]
    assert {(item["apiVersion"], item["kind"]) for item in listing.items} == {("v1", "Service")}
    assert [request[1] for request in server.requests] == ["/api/v1/services"] * 2
    assert server.requests[0][2]["labelSelector"] == "a=b"


def test_the_proxy_of_the_environment_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    monkeypatch.setenv("NO_PROXY", "inside.example.org")
    found = {
        host: unsurprised(Configuration(host=f"https://{host}"))
        for host in ("outside.example.org", "inside.example.org")
    }
    assert found["outside.example.org"].proxy == "http://proxy:3128"
    assert found["inside.example.org"].proxy is None
    assert all(one.client_session_kwargs == {"trust_env": False} for one in found.values())


def test_the_proxy_of_the_kubeconfig_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    own = Configuration(host="https://outside.example.org", proxy="http://own:3128")
    assert unsurprised(own).proxy == "http://own:3128"
