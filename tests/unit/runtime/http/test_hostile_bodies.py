"""Requests that no honest client sends. Every one is refused, with a type, and at once."""

import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from unit.runtime.doubles import PARSE, Service, StartService, a_document

KIBI = 1024

HOSTILE_JSON = {
    "nothing": b"null",
    "number": b"1",
    "string": b'"x"',
    "list": b"[]",
    "cut": b'{"image_base64": "AA',
    "trailing": b'{"image_base64": "AAAA"} x',
    "deep lists": b"[" * 100_000,
    "deep closed lists": b'{"pages":' + b"[" * 10_000 + b"]" * 10_000 + b"}",
    "deep objects": b'{"a":' * 100_000,
    "bad utf-8": b'{"image_base64": "\xff\xfe"}',
    "lone surrogate": b'{"password": "\\ud800", "image_base64": "AAAA"}',
    "byte order mark": b'\xef\xbb\xbf{"image_base64": "AAAA"}',
    "utf-16": '{"image_base64": "AAAA"}'.encode("utf-16"),
    "nan": b'{"image_base64": "AAAA", "max_new_tokens": NaN}',
    "infinity": b'{"image_base64": "AAAA", "max_new_tokens": Infinity}',
    "huge number": b'{"image_base64": "AAAA", "max_new_tokens": ' + b"9" * 10_000 + b"}",
    "huge exponent": b'{"image_base64": "AAAA", "max_new_tokens": 1e999}',
    "negative": b'{"image_base64": "AAAA", "max_new_tokens": -1}',
    "zero": b'{"image_base64": "AAAA", "max_new_tokens": 0}',
    "float": b'{"image_base64": "AAAA", "max_new_tokens": 1.5}',
    "whole float": b'{"image_base64": "AAAA", "max_new_tokens": 4.0}',
    "number as text": b'{"image_base64": "AAAA", "max_new_tokens": "4"}',
    "true": b'{"image_base64": "AAAA", "max_new_tokens": true}',
    "image is a number": b'{"image_base64": 5}',
    "image is a list": b'{"image_base64": ["AAAA"]}',
    "pages is a string": b'{"pages": "AAAA"}',
    "pages is an object": b'{"pages": {"0": "AAAA"}}',
    "no pages": b'{"pages": []}',
    "null page": b'{"pages": [null]}',
    "both": b'{"image_base64": "AAAA", "pages": ["AAAA"]}',
    "unknown field": b'{"image_base64": "AAAA", "stream": true}',
    "not base64": b'{"image_base64": "hello world!"}',
    "url-safe base64": b'{"image_base64": "_-_-"}',
    "bad padding": b'{"image_base64": "AAA"}',
    "data url": b'{"image_base64": "data:image/png;base64,AAAA"}',
    "non-ascii base64": '{"image_base64": "ÄÄÄÄ"}'.encode(),
    "empty password": b'{"image_base64": "AAAA", "password": ""}',
    "long password": b'{"image_base64": "AAAA", "password": "' + b"p" * 2000 + b'"}',
    "control characters": b'{"image_base64": "AAAA\x00"}',
    "ten thousand unknown fields": b"{%s}" % b",".join(b'"f%d":1' % n for n in range(10_000)),
    "a million pages of lists": b'{"pages": [%s[]]}' % (b"[]," * 1_000_000),
    "a million empty pages": b'{"pages": [%s""]}' % (b'"",' * 1_000_000),
    "a thousand pages of numbers": b'{"pages": [%s0]}' % (b"0," * 1000),
}


@pytest.mark.parametrize("body", HOSTILE_JSON.values(), ids=HOSTILE_JSON)
async def test_hostile_json_is_refused(service: Service, body: bytes) -> None:
    answer = await service.client.post(
        PARSE, content=body, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid_request"
    assert len(answer.content) < 2 * KIBI


async def test_a_refusal_names_fields_and_never_their_values(service: Service) -> None:
    for body in (
        {"stream": "canary-value", "max_new_tokens": "canary-value"},
        {"image_base64": "canary-value!", "canary value\n": 1},
    ):
        answer = await service.client.post(PARSE, json=body)
        names = [name for name in body if name in answer.json()["detail"]]
        assert names == [name for name in body if "canary" not in name]
        assert "canary" not in answer.text + service.log.getvalue()


def part(headers: bytes, content: bytes = b"x") -> bytes:
    return b"--b\r\n" + headers + b"\r\n\r\n" + content + b"\r\n"


def field(name: bytes, content: bytes = b"1") -> bytes:
    return part(b'Content-Disposition: form-data; name="%s"' % name, content)


FILE = part(b'Content-Disposition: form-data; name="file"; filename="a"', a_document())
END = b"--b--\r\n"

HOSTILE_FORMS = {
    "ten thousand parts": b"".join(field(b"f%d" % n) for n in range(10_000)) + END,
    "ten thousand empty parts": b"--b\r\n\r\n\r\n" * 10_000 + END,
    "file without a name": part(b'Content-Disposition: form-data; name="file"') + END,
    "part without a name": part(b"Content-Disposition: form-data") + END,
    "part without headers": b"--b\r\n\r\nx\r\n" + END,
    "giant header": part(b"X: " + b"y" * 1_000_000) + END,
    "many headers": part(b"\r\n".join(b"X%d: y" % n for n in range(10_000))) + END,
    "header without colon": part(b"nonsense") + END,
    "wrong boundary": FILE.replace(b"--b", b"--c"),
    "no end": FILE,
    "cut in a part": FILE[:-40],
    "preamble flood": b"x" * 1_000_000,
    "two files": FILE + FILE + END,
    "unknown field": FILE + field(b"stream") + END,
    "long field": FILE + field(b"password", b"p" * 100_000) + END,
    "not utf-8": FILE + field(b"password", b"\xff\xfe") + END,
    "encoded part": part(
        b'Content-Disposition: form-data; name="file"; filename="a"\r\n'
        b"Content-Transfer-Encoding: base64",
        b"AAAA",
    )
    + END,
    **{
        f"token limit {value!r}": FILE + field(b"max_new_tokens", value) + END
        for value in (b"", b"0", b"-1", b"1.0", b"1e3", b" 5", b"\xd9\xa3", b"9" * 9999, b"40000")
    },
}


@pytest.mark.parametrize("body", HOSTILE_FORMS.values(), ids=HOSTILE_FORMS)
async def test_hostile_forms_are_refused_at_once(service: Service, body: bytes) -> None:
    began = time.process_time()
    answer = await service.client.post(
        PARSE, content=body, headers={"content-type": "multipart/form-data; boundary=b"}
    )
    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid_request"
    assert time.process_time() - began < 1


@pytest.mark.parametrize("parameters", ["", "; boundary=", "; boundary=" + "b" * 10_000])
async def test_boundaries_are_needed(service: Service, parameters: str) -> None:
    answer = await service.client.post(
        PARSE, content=FILE + END, headers={"content-type": "multipart/form-data" + parameters}
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "canary\r\nX-Evil: 1",
        "canary\x00",
        "canary\u202egnp.exe",
        "canary" * 600,
        'canary"; name="password',
    ],
)
async def test_file_names_are_never_used(service: Service, name: str) -> None:
    answer = await service.client.post(PARSE, files={"file": (name, a_document())})
    assert answer.status_code in {200, 400}
    assert "canary" not in answer.text + service.log.getvalue()
    assert "x-evil" not in answer.headers


async def chunks(size: int, count: int, pulled: list[int]) -> AsyncIterator[bytes]:
    for _ in range(count):
        pulled.append(size)
        yield b"x" * size


@pytest.mark.parametrize("kind", ["application/json", "application/pdf", "multipart/form-data"])
async def test_a_body_without_length_is_read_up_to_the_limit(
    start: StartService, kind: str
) -> None:
    service = await start(max_body_bytes=256 * KIBI)
    pulled: list[int] = []
    boundary = "; boundary=b" if kind.startswith("multipart") else ""
    content: Any = chunks(16 * KIBI, 10_000, pulled)
    if boundary:
        content = _after(FILE[: FILE.index(b"{")], content)
    answer = await service.client.post(
        PARSE, content=content, headers={"content-type": kind + boundary}
    )
    assert (answer.status_code, answer.json()["code"]) == (413, "document_too_large")
    assert sum(pulled) <= (256 + 64) * KIBI
    assert answer.headers["connection"] == "close"


async def _after(head: bytes, content: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield head
    async for chunk in content:
        yield chunk


async def test_an_announced_length_over_the_limit_is_refused_unread(start: StartService) -> None:
    service = await start(max_body_bytes=1024)
    pulled: list[int] = []
    answer = await service.client.post(
        PARSE,
        content=chunks(1, 10, pulled),
        headers={"content-type": "application/pdf", "content-length": "1025"},
    )
    assert (answer.status_code, answer.json()["code"]) == (413, "document_too_large")
    assert not pulled


async def test_a_body_of_one_byte_chunks_is_read(start: StartService) -> None:
    service = await start(max_body_bytes=2048)
    pulled: list[int] = []
    answer = await service.client.post(
        PARSE, content=chunks(1, 5000, pulled), headers={"content-type": "application/pdf"}
    )
    assert answer.status_code == 413
    assert len(pulled) == 2049
