"""What whoever waits for a page is told when the engine's process is not there."""

from typing import Final

from docparser_runtime.errors import NotReady

_RETRY_SECONDS: Final = "5"


class EngineLost(NotReady):
    """The engine's process ended, or fell silent, while it had the page in hand."""

    def __init__(self, index: int) -> None:
        super().__init__(
            f"The engine failed while it had page {index} in hand and is being started again; "
            "try again later.",
            headers={"Retry-After": _RETRY_SECONDS},
        )


class EngineAway(NotReady):
    """The engine's process is being started again."""

    def __init__(self) -> None:
        super().__init__(
            "The engine is being started again; try again later.",
            headers={"Retry-After": _RETRY_SECONDS},
        )
