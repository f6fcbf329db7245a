"""Examples of bodies in the OpenAPI document, which fit their schemas, as a test sees to."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from docparser_runtime import sse, writing

_IMAGE: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAAAAAA6mKC9AAAAEUlEQVR42mP8z4AKmBhGtAAAIBABH+35zCgAAAAASUVORK5C"
    "YII="
)
REQUEST_ID: Final = "7f0c2d0c6c0b4f4f9d3c1c8a5f0b9e11"
_TASK_ID: Final = "0192f3c18e5c7c3a8f0e6f4d2b1a9c07"
_TEXT: Final = "# Report\n\nAll is well."
_OPTIONS: Final = {"page_range": "1-3,7", "tables": "html", "headers_footers": "drop"}
_PAGE: Final[Mapping[str, Any]] = {
    "index": 0,
    "width": 1191,
    "height": 1684,
    "markdown": _TEXT,
    "text": "Report\n\nAll is well.",
    "blocks": [
        {
            "kind": "title",
            "text": "Report",
            "markdown": "# Report",
            "box": [120.0, 130.0, 410.0, 180.0],
            "confidence": 0.99,
            "level": 1,
        },
        {
            "kind": "paragraph",
            "text": "All is well.",
            "markdown": "All is well.",
            "box": [120.0, 230.0, 560.0, 262.0],
            "confidence": 0.98,
            "level": None,
        },
    ],
    "vision_tokens": 0,
    "generated_tokens": 0,
    "tier": None,
    "lowered": False,
    "truncated": False,
    "repetition": False,
    "rotation_degrees": 0.0,
    "seconds": 0.8,
}
_SUMMARY: Final[Mapping[str, Any]] = {
    "request_id": REQUEST_ID,
    "model": "rapidocr-pp-ocrv6",
    "vision_tokens": 0,
    "generated_tokens": 0,
    "repaired": False,
    "truncated": False,
    "lowered": False,
    "repetition": False,
    "timings": {"queue": 0.0, "parse": 0.9},
}
_TASK: Final[Mapping[str, Any]] = {
    "status": "running",
    "pages": 3,
    "pages_done": 1,
    "queue_position": None,
    "id": _TASK_ID,
    "priority": "normal",
    "created_at": "2026-11-30T12:00:00Z",
    "started_at": "2026-11-30T12:00:01Z",
    "finished_at": None,
    "expires_at": None,
    "error": None,
}
_USAGE: Final = {"prompt_tokens": 0, "completion_tokens": 6, "total_tokens": 6}
_CHAT: Final[Mapping[str, Any]] = {
    "id": f"chatcmpl-{REQUEST_ID}",
    "created": 1_796_040_000,
    "model": "rapidocr-pp-ocrv6",
}

BODIES: Final[Mapping[str, Any]] = {
    "ParseRequest": {"image_base64": _IMAGE, **_OPTIONS},
    "ParseForm": {"file": "%PDF-1.7", **_OPTIONS},
    "TaskRequest": {"image_base64": _IMAGE, **_OPTIONS, "priority": "low"},
    "TaskForm": {"file": "%PDF-1.7", **_OPTIONS, "priority": "low"},
    "ChatRequest": {
        "model": "rapidocr",
        "messages": [
            {
                "role": "user",
                "content": [
                    {
                        "type": "image_url",
                        "image_url": {"url": f"data:image/png;base64,{_IMAGE}"},
                    }
                ],
            }
        ],
        "max_tokens": 4096,
    },
    "ParseResponse": {**_SUMMARY, "content": _TEXT, "pages": [_PAGE]},
    "TaskBody": _TASK,
    "TaskList": {"tasks": [_TASK], "next": None},
    "ResultLink": {
        "url": "https://store.example.org/documents/result.json?X-Amz-Expires=60",
        "media_type": "application/json",
        "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "expires_at": "2026-11-30T12:01:00Z",
    },
    "ChatCompletion": {
        **_CHAT,
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": _TEXT, "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": _USAGE,
    },
    "ModelList": {
        "object": "list",
        "data": [{"id": "rapidocr", "object": "model", "created": 0, "owned_by": "docparser"}],
    },
    "Status": {"status": "ok", "reason": "ready"},
}
"""By the names of their schemas."""


def add(document: dict[str, Any]) -> None:
    """Put an example beside each schema of a body in an OpenAPI document."""
    for path, methods in document["paths"].items():
        for operation in methods.values():
            for described in (operation.get("requestBody", {}), *operation["responses"].values()):
                for media_type, content in described.get("content", {}).items():
                    content.update(_examples(media_type, content.get("schema", {}), path))


def _examples(media_type: str, schema: Mapping[str, Any], path: str) -> dict[str, Any]:
    if media_type == sse.MEDIA_TYPE:
        return {"example": _CHUNKS if "chat" in path else _EVENTS}
    if media_type in _TEXTS:
        return {"example": _TEXTS[media_type]}
    known = {name: {"value": BODIES[name]} for name in _names(schema) if name in BODIES}
    return {"examples": known} if known else {}


def _names(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the schemas that a body may have."""
    for one in schema.get("anyOf", [schema]):
        yield one.get("$ref", one.get("title", "")).rpartition("/")[2]


def _event(name: str, data: Mapping[str, Any], event_id: str = "") -> str:
    mark = f"id: {event_id}\n" if event_id else ""
    return f"{mark}event: {name}\ndata: {json.dumps(data)}\n\n"


def _chunk(delta: Mapping[str, Any], reason: str | None) -> str:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    chunk = {**_CHAT, "object": "chat.completion.chunk", "choices": [choice]}
    return f"data: {json.dumps(chunk)}\n\n"


_TEXTS: Final = {
    writing.MARKDOWN: _TEXT,
    writing.PLAIN: "Report\n\nAll is well.",
    writing.HTML: "<!doctype html><html><body><h1>Report</h1><p>All is well.</p></body></html>",
}
_EVENTS: Final = (
    _event(sse.STATUS, _TASK) + _event(sse.PAGE, _PAGE, "1") + _event(sse.DONE, _SUMMARY)
)
_CHUNKS: Final = _chunk({"content": _TEXT}, None) + _chunk({}, "stop") + "data: [DONE]\n\n"
