"""What the service and an engine's process say to each other. Each message is one value.

Pixels follow a `Page` as the payload of its frame; nothing else has a payload.
"""

from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from docparser_api.runtime import ModelSpec, RuntimeConfig
from pydantic import Field, TypeAdapter

from docparser_runtime.engine.base import DeviceUse, PageResult, ParseOptions


@dataclass(frozen=True)
class Load:
    """To the engine: be built by `factory`, load and read a page whose text is known.

    Attributes:
        factory: module and function with a colon between, as `package.module:function`. It is
            called with `model`, `config` and the directory of the weights, or None.
    """

    factory: str
    model: ModelSpec
    config: RuntimeConfig
    weights: str | None
    kind: Literal["load"] = "load"


@dataclass(frozen=True)
class Page:
    """To the engine: read this page; its pixels follow."""

    id: int
    index: int
    width: int
    height: int
    dpi: float | None
    options: ParseOptions
    kind: Literal["page"] = "page"


@dataclass(frozen=True)
class Unwanted:
    """To the engine: nobody waits for this page any more. It is still answered."""

    id: int
    kind: Literal["unwanted"] = "unwanted"


@dataclass(frozen=True)
class Loaded:
    """From the engine: it has loaded, and has read a page whose text is known."""

    kind: Literal["loaded"] = "loaded"


@dataclass(frozen=True)
class LoadFailed:
    """From the engine: it cannot serve; no document has been seen, so the reason may be shown."""

    reason: str
    kind: Literal["load_failed"] = "load_failed"


@dataclass(frozen=True)
class Wrote:
    """From the engine: more text of a page."""

    id: int
    text: str = field(repr=False)
    kind: Literal["wrote"] = "wrote"


@dataclass(frozen=True)
class BeganAnew:
    """From the engine: the text of a page up to now is void."""

    id: int
    kind: Literal["began_anew"] = "began_anew"


@dataclass(frozen=True)
class Read:
    """From the engine: what stands on a page. Nothing more comes of it."""

    id: int
    result: PageResult = field(repr=False)
    kind: Literal["read"] = "read"


@dataclass(frozen=True)
class Left:
    """From the engine: it has left off a page that was unwanted."""

    id: int
    kind: Literal["left"] = "left"


@dataclass(frozen=True)
class Failed:
    """From the engine: a page cannot be read, though others can.

    Attributes:
        error: name of the exception's class.
        place: file, line and function in which it was raised. Its message might quote the page.
    """

    id: int
    error: str
    place: str
    kind: Literal["failed"] = "failed"


@dataclass(frozen=True)
class Beat:
    """From the engine, every second: it lives, and takes so much of its devices."""

    devices: tuple[DeviceUse, ...] = ()
    kind: Literal["beat"] = "beat"


ToEngine = Load | Page | Unwanted
OfPage = Wrote | BeganAnew | Read | Left | Failed
FromEngine = Loaded | LoadFailed | OfPage | Beat

TO_ENGINE: Final = TypeAdapter[ToEngine](Annotated[ToEngine, Field(discriminator="kind")])
FROM_ENGINE: Final = TypeAdapter[FromEngine](Annotated[FromEngine, Field(discriminator="kind")])
