"""What was read, in the words of the chat interface."""

from dataclasses import dataclass
from typing import Any, Literal

from docparser_runtime.compat.bodies import ChatCompletion, ChatMessage, Choice, Usage
from docparser_runtime.schemas import ParseResponse, SummaryBody


@dataclass(frozen=True)
class Head:
    """What is the same in all parts of an answer.

    Attributes:
        created: when, in seconds since 1970.
    """

    request_id: str
    created: int
    model: str

    @property
    def id(self) -> str:
        """The answer's id."""
        return f"chatcmpl-{self.request_id}"


def completion(found: ParseResponse, head: Head) -> ChatCompletion:
    """Return the answer as a whole."""
    message = ChatMessage(content=found.content)
    return ChatCompletion(
        id=head.id,
        created=head.created,
        model=head.model,
        choices=(Choice(message=message, finish_reason=finish_reason(found)),),
        usage=usage(found),
    )


def chunk(head: Head, *, role: bool = False, text: str | None = None) -> dict[str, Any]:
    """Return a piece of the answer: who speaks, or what is said."""
    delta: dict[str, Any] = {"role": "assistant"} if role else {}
    delta |= {} if text is None else {"content": text}
    return _chunk(head, [_choice(delta, None)])


def last_chunk(head: Head, summary: SummaryBody) -> dict[str, Any]:
    """Return the piece that tells why the text ends."""
    return _chunk(head, [_choice({}, finish_reason(summary))])


def usage_chunk(head: Head, summary: SummaryBody) -> dict[str, Any]:
    """Return the piece that tells how many tokens there were."""
    return _chunk(head, []) | {"usage": usage(summary).model_dump()}


def finish_reason(summary: SummaryBody) -> Literal["stop", "length"]:
    """Return whether the text is whole."""
    return "length" if summary.truncated or summary.repetition else "stop"


def usage(summary: SummaryBody) -> Usage:
    """Return how many tokens there were."""
    seen, written = summary.vision_tokens, summary.generated_tokens
    return Usage(prompt_tokens=seen, completion_tokens=written, total_tokens=seen + written)


def _chunk(head: Head, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": head.id,
        "object": "chat.completion.chunk",
        "created": head.created,
        "model": head.model,
        "choices": choices,
    }


def _choice(delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
