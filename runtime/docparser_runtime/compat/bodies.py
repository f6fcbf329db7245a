"""Bodies of answers of the chat interface."""

from typing import Literal

from docparser_runtime.schemas import Body


class ChatMessage(Body):
    """What the service says."""

    role: Literal["assistant"] = "assistant"
    """The service."""
    content: str
    """The text of the image as Markdown."""
    refusal: None = None
    """Always null."""


class Choice(Body):
    """The answer."""

    index: Literal[0] = 0
    """Its number."""
    message: ChatMessage
    """The text."""
    logprobs: None = None
    """Always null."""
    finish_reason: Literal["stop", "length"]
    """`length` if the text is cut off: by a limit of the request, or as in `truncated` and
    `repetition` of pages."""


class Usage(Body):
    """How many tokens there were."""

    prompt_tokens: int
    """Tokens that the image took; 0 for engines without."""
    completion_tokens: int
    """Tokens that the engine wrote; for engines that do not generate, one for every four bytes of
    the text."""
    total_tokens: int
    """Sum of both."""


class ChatCompletion(Body):
    """An image that was read."""

    id: str
    """Holds the request's id."""
    object: Literal["chat.completion"] = "chat.completion"
    """What this is."""
    created: int
    """When, in seconds since 1970."""
    model: str
    """What read it."""
    choices: tuple[Choice]
    """One answer."""
    usage: Usage
    """How many tokens there were."""


class Model(Body):
    """A name that requests may give as `model`."""

    id: str
    """The name."""
    object: Literal["model"] = "model"
    """What this is."""
    created: int = 0
    """Not known."""
    owned_by: str = "docparser"
    """The service."""


class ModelList(Body):
    """All names of the one model."""

    object: Literal["list"] = "list"
    """What this is."""
    data: tuple[Model, ...]
    """The names, that of answers first."""


class ChatErrorBody(Body):
    """What is wrong."""

    message: str
    """What is wrong and what to do, for people."""
    type: str
    """Who can do something about it."""
    param: str | None
    """Field of the request that it is about."""
    code: str
    """Stable name of the kind, as in problems of other paths."""


class ChatError(Body):
    """An error."""

    error: ChatErrorBody
    """What is wrong."""
