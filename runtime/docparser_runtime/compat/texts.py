"""What was read, in the words of the chat interface."""

from dataclasses import dataclass
from typing import Any, Literal

from docparser_runtime.compat.bodies import ChatCompletion, ChatMessage, Choice, Usage
from docparser_runtime.compat.tokens import Saying
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


def completion(found: ParseResponse, head: Head, saying: Saying) -> ChatCompletion:
    """Return the answer as a whole, as far as `saying` lets it be said."""
    message = ChatMessage(content=saying.add(found.content))
    return ChatCompletion(
        id=head.id,
        created=head.created,
        model=head.model,
        choices=(Choice(message=message, finish_reason=finish_reason(found, saying)),),
        usage=usage(found, saying),
    )


def chunk(head: Head, *, role: bool = False, text: str | None = None) -> dict[str, Any]:
    """Return a piece of the answer: who speaks, or what is said."""
    delta: dict[str, Any] = {"role": "assistant"} if role else {}
    delta |= {} if text is None else {"content": text}
    return _chunk(head, [_choice(delta, None)])


def last_chunk(head: Head, summary: SummaryBody, said: Saying) -> dict[str, Any]:
    """Return the piece that tells why the text ends."""
    return _chunk(head, [_choice({}, finish_reason(summary, said))])


def usage_chunk(head: Head, summary: SummaryBody, said: Saying) -> dict[str, Any]:
    """Return the piece that tells how many tokens there were."""
    return _chunk(head, []) | {"usage": usage(summary, said).model_dump()}


def finish_reason(summary: SummaryBody, said: Saying) -> Literal["stop", "length"]:
    """Return whether the text is whole."""
    is_whole = not (summary.truncated or summary.repetition or said.is_cut)
    return "stop" if is_whole else "length"


def usage(summary: SummaryBody, said: Saying) -> Usage:
    """Return how many tokens there were; those of engines that do not write any are `said`."""
    seen, written = summary.vision_tokens, summary.generated_tokens or said.tokens
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
