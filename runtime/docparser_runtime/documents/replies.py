"""What the parser process may answer. It is not trusted: every field is bounded here."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from docparser_runtime.parser_child.failures import Failure


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Ready(_Reply):
    """The process is confined and waits for its document."""

    kind: Literal["ready"]
    refused: list[str]
    """Measures of confinement that the kernel refused."""


class Opened(_Reply):
    """The document is open."""

    kind: Literal["opened"]
    page_count: int = Field(ge=1)
    repaired: bool
    encrypted: bool


class Drawn(_Reply):
    """A page follows as the frame's payload."""

    kind: Literal["drawn"]
    width: int = Field(ge=1, le=1_000_000)
    height: int = Field(ge=1, le=1_000_000)
    dpi: float | None = Field(gt=0, allow_inf_nan=False)


class Added(_Reply):
    """The text stands on its page."""

    kind: Literal["added"]


class Saved(_Reply):
    """A file follows as the frame's payload."""

    kind: Literal["saved"]


class Failed(_Reply):
    """The document or page cannot be had."""

    kind: Literal["failed"]
    failure: Failure


Reply = Ready | Opened | Drawn | Added | Saved | Failed

parse_reply = TypeAdapter[Reply](Annotated[Reply, Field(discriminator="kind")]).validate_json
"""Returns the reply in a JSON text; raises ValueError."""
