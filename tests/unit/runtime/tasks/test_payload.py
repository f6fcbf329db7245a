from typing import Any

import pytest
from docparser_runtime.schemas import Options
from docparser_runtime.tasks import payload as payloads
from docparser_runtime.tasks.payload import Payload, StoredDocument, UnknownPayload

DOCUMENTS = (StoredDocument(ref="a/upload/0", sha256="0"),)
TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def test_a_trace_goes_with_the_job() -> None:
    payload = Payload(documents=DOCUMENTS, options=Options(), traceparent=TRACEPARENT)
    values = payloads.dumped(payload)
    assert payloads.loaded(values) == payload
    assert payloads.traceparent_of(values) == TRACEPARENT


def test_without_traces_workers_from_before_them_can_read_the_job() -> None:
    values = payloads.dumped(Payload(documents=DOCUMENTS, options=Options()))
    assert set(values) <= {"version", "documents", "options"}
    assert payloads.traceparent_of(values) is None


@pytest.mark.parametrize("found", [1, None, ["00"], {}])
def test_the_trace_of_an_unknown_payload_is_text_or_none(found: Any) -> None:
    values = {"version": 2, "traceparent": found}
    assert payloads.traceparent_of(values) is None
    with pytest.raises(UnknownPayload):
        payloads.loaded(values)
