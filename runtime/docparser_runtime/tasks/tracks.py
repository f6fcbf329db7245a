"""Which revision reads a task: each new one gets a track, by the split that a file holds.

Chance would give a track of 5 % anything from 3 to 7 % of a thousand tasks. A plain turn, each
twentieth, would fall into step with clients that have a turn of their own. The golden ratio does
neither: its multiples fill every part of a circle evenly, and repeat nothing.
"""

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from docparser_api.names import ENV_SPLIT_FILE
from docparser_api.split import Split
from pydantic import ValidationError

from docparser_runtime.config import ConfigError
from docparser_runtime.logs import Log
from docparser_runtime.security.files import ReloadError, WatchedFiles
from docparser_runtime.task_metrics import TaskMetrics
from docparser_runtime.tasks.keeping import Keeping

_GOLDEN_RATIO: Final = 0.6180339887498949


class Tracks:
    """Gives tracks, in the shares of a split. For one event loop.

    After any number of tasks a track has its share, give or take 3 of them.

    Args:
        split: the shares.
        start: where on the circle to begin, from 0 to 1; processes that begin at the same time
            shall not all begin with the same track.
        adopts: whether tasks of tracks that are not named are to go to those that are.
    """

    def __init__(self, split: Split, start: float, *, adopts: bool) -> None:
        self._position = start
        self._shares = dict(split.tracks)
        self.adopts = adopts

    @property
    def shares(self) -> Mapping[str, int]:
        """The share of each track, relative to their sum."""
        return self._shares

    def change(self, split: Split) -> None:
        """Give tracks in these shares from now on."""
        self._shares = dict(split.tracks)

    def next(self) -> str:
        """Return the track of one more task."""
        self._position = (self._position + _GOLDEN_RATIO) % 1
        shares = self._shares
        left = self._position * sum(shares.values())
        given = [track for track in sorted(shares) if shares[track]]
        for track in given:
            left -= shares[track]
            if left < 0:
                return track
        return given[-1]


def tracks_of(
    keeping: Keeping, metrics: TaskMetrics, log: Log, start: Callable[[], float] = random.random
) -> tuple[Tracks, WatchedFiles | None]:
    """Return the tracks of new tasks, and the file to be watched for changes, if one splits them.

    Raises:
        ConfigError: the file is missing or malformed.
    """
    file = keeping.split_file
    if file is None:
        return Tracks(Split(tracks={keeping.track: 1}), start(), adopts=False), None
    tracks = Tracks(Split(tracks={keeping.track: 1}), start(), adopts=True)

    def load() -> None:
        split = _read(file)
        tracks.change(split)
        metrics.show_split(split.tracks)

    # Made before the first look at the file, so that no change falls between the two.
    watched = WatchedFiles("split", (file,), load, log)
    try:
        load()
    except (OSError, ReloadError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{ENV_SPLIT_FILE}: {reason}") from None
    return tracks, watched


def _read(file: Path) -> Split:
    try:
        return Split.model_validate_json(file.read_bytes())
    except ValidationError as error:
        faults = "; ".join(str(fault["msg"]) for fault in error.errors())
        raise ReloadError(f"the split of tasks cannot be used: {faults}") from None
