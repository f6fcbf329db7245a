import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from docparser_operator.analysis.fetch import HttpFetch
from docparser_operator.analysis.promql import Server, answer, number, rendered
from docparser_operator.kinds import Key
from hypothesis import given
from hypothesis import strategies as st
from unit.operator.analysis.pods import Servers


def test_placeholders_are_filled_in() -> None:
    query = 'x{a="{{canary}}",b="{{stable}}",c="{{namespace}}/{{name}}",d="{{other}}"} / {{canary}}'
    assert rendered(query, "c1", "s1", Key("ns", "dp")) == (
        'x{a="c1",b="s1",c="ns/dp",d="{{other}}"} / c1'
    )


def vector(*values: str) -> dict[str, Any]:
    return {"resultType": "vector", "result": [{"metric": {}, "value": [1, v]} for v in values]}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(vector("0.25"), 0.25, id="one element"),
        pytest.param(vector("+Inf"), float("inf"), id="infinite"),
        pytest.param({"resultType": "scalar", "result": [1, "3"]}, 3.0, id="scalar"),
        pytest.param(vector(), None, id="no element"),
        pytest.param(vector("1", "2"), None, id="two elements"),
        pytest.param(vector("NaN"), None, id="not a number"),
        pytest.param(vector("x"), None, id="a word"),
        pytest.param({"resultType": "string", "result": [1, "3"]}, None, id="string"),
        pytest.param({"resultType": "matrix", "result": []}, None, id="matrix"),
        pytest.param({"resultType": "vector", "result": {}}, None, id="odd result"),
        pytest.param({"resultType": "vector", "result": [{"value": []}]}, None, id="odd value"),
        pytest.param({}, None, id="empty"),
        pytest.param([], None, id="list"),
    ],
)
def test_the_number_in_an_answer(data: object, expected: float | None) -> None:
    assert number(json.dumps({"status": "success", "data": data})) == expected


@pytest.mark.parametrize("body", ["", "no JSON", "[]", "{}", "[" * 100_000])
def test_what_is_no_answer_has_no_number(body: str) -> None:
    assert number(body) is None


json_values = st.recursive(
    st.none() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(st.sampled_from(["vector", "scalar", "matrix"]), json_values)
def test_no_answer_ends_in_an_error(kind: str, result: object) -> None:
    found = number(json.dumps({"data": {"resultType": kind, "result": result}}))
    assert found is None or isinstance(found, float)


class Prometheus:
    """What a server was asked for, and what it answers."""

    def __init__(self) -> None:
        self.tokens: list[str | None] = []
        self.queries: list[str] = []
        self.status = 200

    async def handle(self, request: web.Request) -> web.Response:
        self.tokens.append(request.headers.get("Authorization"))
        self.queries.append(request.query["query"])
        return web.json_response({"data": vector("0.5")}, status=self.status)


async def test_a_server_is_asked_below_its_address(servers: Servers, fetch: HttpFetch) -> None:
    prometheus, query = Prometheus(), 'sum(rate(x{a="b c"}[1m])) + 1 & ü'
    address = await servers.start(prometheus.handle)
    assert await answer(fetch, Server(f"http://{address}/prefix/"), query) == 0.5
    assert prometheus.queries == [query]
    assert prometheus.tokens == [None]
    assert servers.asked[0].startswith("/prefix/api/v1/query?query=")


async def test_the_token_is_read_anew_each_time(
    servers: Servers, fetch: HttpFetch, tmp_path: Path
) -> None:
    prometheus, file = Prometheus(), tmp_path / "token"
    server = Server(f"http://{await servers.start(prometheus.handle)}", file)
    assert await answer(fetch, server, "up") is None
    for token in ("one", "two"):
        file.write_text(f"{token}\n")
        assert await answer(fetch, server, "up") == 0.5
    assert prometheus.tokens == ["Bearer one", "Bearer two"]


async def test_a_server_that_refuses_has_no_number(servers: Servers, fetch: HttpFetch) -> None:
    prometheus = Prometheus()
    prometheus.status = 422
    server = Server(f"http://{await servers.start(prometheus.handle)}")
    assert await answer(fetch, server, "up(") is None


async def test_a_server_that_is_away_has_no_number(servers: Servers, fetch: HttpFetch) -> None:
    server = Server(f"http://{await servers.pod('')}")
    await servers.close()
    assert await answer(fetch, server, "up") is None
