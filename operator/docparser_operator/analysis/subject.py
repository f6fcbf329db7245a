"""What is to be measured for one DocParserDeployment."""

from dataclasses import dataclass

from docparser_operator.analysis.window import Side


@dataclass(frozen=True)
class ScrapedPod:
    """A pod to look at.

    Attributes:
        address: host and port.
        side: the revision that it runs.
        born_in_window: whether it was created after the comparison began, so that all that it
            counted belongs to it.
    """

    uid: str
    address: str
    side: Side
    born_in_window: bool


@dataclass(frozen=True)
class Subject:
    """What is to be measured for one DocParserDeployment.

    Attributes:
        window: names the comparison; another value starts a new one.
        interval_seconds: pause between the beginnings of two looks.
        prometheus_address: the server for `queries`; None for the operator's own.
        queries: name and PromQL without placeholders.
    """

    window: str
    pods: tuple[ScrapedPod, ...]
    interval_seconds: int
    prometheus_address: str | None = None
    queries: tuple[tuple[str, str], ...] = ()
