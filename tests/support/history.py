"""Every state that objects in the cluster go through, for assertions about what never happened."""

import json
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from support.kubectl import Kubectl, Manifest


@dataclass(frozen=True)
class State:
    """One state of one object.

    Attributes:
        time: when the watch told of it, as `time.time()` counts.
        deleted: whether the object is gone.
        object: the object.
    """

    time: float
    deleted: bool
    object: Manifest

    @property
    def name(self) -> str:
        """The object's name."""
        return str(self.object["metadata"]["name"])


class History:
    """Collects all states of the objects of a kind, from entry to exit, by a watch.

    Args:
        kubectl: where to look.
        kind: which objects.
        selector: labels that they bear.
    """

    def __init__(self, kubectl: Kubectl, kind: str, selector: str = "") -> None:
        words = ("get", kind, "-l", selector, "--watch", "--output-watch-events", "-o", "json")
        self._argv = kubectl.argv(*words)
        self._states: list[State] = []

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._argv, stdout=subprocess.PIPE, text=True)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait()
        self._reader.join()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def states(self, name: str = "") -> list[State]:
        """Return the states up to now, of all objects or of the one called `name`."""
        return [state for state in list(self._states) if name in {"", state.name}]

    def first(self, holds: Callable[[Manifest], object], since: float = 0) -> State | None:
        """Return the first state, from `since` on, of which `holds` is true."""
        later = (state for state in self.states() if state.time >= since)
        return next((state for state in later if holds(state.object)), None)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            event = json.loads(line)
            deleted = event["type"] == "DELETED"
            self._states.append(State(time.time(), deleted, event["object"]))
