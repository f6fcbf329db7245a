import math

import pytest
from docparser_api.names import PATH_CONFIG, PATH_PARSE
from docparser_operator.analysis.evidence import Totals
from docparser_operator.analysis.exposition import MalformedError, counters
from docparser_runtime.engine.base import PageResult
from docparser_runtime.metrics import Metrics
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest

HEAD = "# TYPE docparser_requests_total counter\n"


def text_of(metrics: Metrics) -> str:
    return generate_latest(metrics.registry).decode()


def a_pod() -> Metrics:
    return Metrics(CollectorRegistry())


def test_a_pod_that_did_nothing_counts_zero() -> None:
    assert counters(text_of(a_pod())) == Totals()


def test_what_a_pod_exposes_is_read() -> None:
    pod = a_pod()
    for status, code, count in (
        ("200", "ok", 5),
        ("500", "engine_failed", 2),
        ("504", "request_timeout", 1),
        ("503", "queue_timeout", 7),
        ("429", "queue_full", 9),
        ("422", "unsupported_parameter", 3),
    ):
        pod.requests.labels(PATH_PARSE, status, code).inc(count)
    pod.requests.labels(PATH_CONFIG, "500", "unexpected").inc(50)
    pod.request_seconds.labels(PATH_PARSE).observe(0.3)
    pod.request_seconds.labels(PATH_PARSE).observe(700)
    pod.request_seconds.labels(PATH_CONFIG).observe(0.001)
    for number in range(8):
        pod.pages.add(PageResult("", repetition=number < 2, truncated=number < 3), 0.1)
    found = counters(text_of(pod))
    assert (found.requests, found.server_errors) == (11, 3)
    assert (found.pages, found.repetition, found.truncated) == (8, 2, 3)
    assert found.seconds == pytest.approx(700.3)
    buckets = dict(found.buckets)
    assert (buckets[0.2], buckets[0.5], buckets[600], buckets[math.inf]) == (0, 1, 1, 2)
    assert found.timed == 2


def test_tasks_that_a_worker_has_read_are_its_requests() -> None:
    pod = a_pod()
    for status, seconds in (("200", 0.3), ("200", 3.5), ("422", 0.01), ("500", 0.3)):
        pod.tasks.seconds.labels(status).observe(seconds)
    found = counters(text_of(pod))
    assert (found.requests, found.server_errors, found.timed) == (4, 1, 4)
    assert found.seconds == pytest.approx(4.11)
    buckets = dict(found.buckets)
    assert (buckets[0.2], buckets[0.5], buckets[600], buckets[math.inf]) == (1, 3, 4, 4)


def test_requests_and_tasks_of_a_pod_count_together() -> None:
    pod = a_pod()
    pod.requests.labels(PATH_PARSE, "200", "ok").inc(2)
    pod.request_seconds.labels(PATH_PARSE).observe(0.3)
    pod.tasks.seconds.labels("200").observe(0.3)
    found = counters(text_of(pod))
    assert (found.requests, found.timed, dict(found.buckets)[0.5]) == (3, 2, 2)


def test_counters_of_a_later_runtime_that_are_missing_are_zero() -> None:
    text = f'{HEAD}docparser_requests_total{{route="{PATH_PARSE}",status="200",code="ok"}} 4.0\n'
    assert counters(text) == Totals(requests=4)


BUCKET = f'docparser_request_duration_seconds_bucket{{route="{PATH_PARSE}",le='


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("<html>welcome</html>", id="another server"),
        pytest.param("# TYPE go_goroutines gauge\ngo_goroutines 4\n", id="another program"),
        pytest.param(HEAD + 'docparser_requests_total{route="', id="cut off"),
        pytest.param(HEAD + "docparser_requests_total many\n", id="no number"),
        pytest.param(
            f'{HEAD}docparser_requests_total{{route="{PATH_PARSE}",status="200"}} NaN\n', id="NaN"
        ),
        pytest.param(
            f'{HEAD}docparser_requests_total{{route="{PATH_PARSE}",status="200"}} -1\n',
            id="negative",
        ),
        pytest.param(
            f'{HEAD}docparser_requests_total{{route="{PATH_PARSE}",status="200"}} +Inf\n',
            id="infinite",
        ),
        pytest.param(
            f"{HEAD}# TYPE docparser_request_duration_seconds histogram\n"
            f'{BUCKET}"1"}} 5\n{BUCKET}"+Inf"}} 4\n',
            id="buckets go down",
        ),
        pytest.param(
            f'{HEAD}# TYPE docparser_request_duration_seconds histogram\n{BUCKET}"1"}} 5\n',
            id="no last bucket",
        ),
        pytest.param(
            f'{HEAD}# TYPE docparser_request_duration_seconds histogram\n{BUCKET}"x"}} 5\n',
            id="a bound that is no number",
        ),
    ],
)
def test_malformed_text_is_refused(text: str) -> None:
    with pytest.raises(MalformedError):
        counters(text)


@given(st.text(max_size=200), st.integers(0, 200))
def test_no_text_ends_in_another_error(noise: str, cut: int) -> None:
    pod = a_pod()
    pod.requests.labels(PATH_PARSE, "200", "ok").inc()
    whole = text_of(pod)
    at = whole.index("docparser_requests") + cut
    for text in (noise, HEAD + "docparser_requests" + noise, whole[:at] + noise + whole[at:]):
        try:
            counters(text)
        except MalformedError:
            continue
