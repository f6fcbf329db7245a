"""Requests of the chat interface, and what comes back."""

import base64
import json
from typing import Any

import httpx
from unit.runtime.doubles import Service, a_document

CHAT = "/v1/chat/completions"
TEXT = "# page 0 of 30 pixels, None tokens"


def image(content: bytes | None = None) -> dict[str, Any]:
    """Return a part that holds an image (a document that the double opens)."""
    data = base64.b64encode(a_document() if content is None else content).decode()
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}


def asked(*parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a request; without parts it holds an image."""
    content = list(parts) or [image()]
    return {"model": "scripted", "messages": [{"role": "user", "content": content}]} | fields


async def ask(service: Service, **fields: Any) -> httpx.Response:
    return await service.client.post(CHAT, json=asked(**fields))


def told(answer: httpx.Response) -> list[Any]:
    """Return the data of a stream's events."""
    lines = [line for line in answer.text.splitlines() if line and not line.startswith(":")]
    assert all(line.startswith("data: ") for line in lines)
    data = [line.removeprefix("data: ") for line in lines]
    assert data[-1] == "[DONE]"
    return [json.loads(text) for text in data[:-1]]
