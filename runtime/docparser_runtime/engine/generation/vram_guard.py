"""What to do when the GPU's memory fills up beyond what was planned."""

from dataclasses import dataclass, replace
from enum import IntEnum

from docparser_api.model_sizes import MODELS, Family

from docparser_runtime.engine.generation.requests import Limits
from docparser_runtime.engine.generation.scheduler import Scheduler
from docparser_runtime.engine.generation.tiling import max_tiles
from docparser_runtime.engine.tiers import Tier

_MOST_HALVINGS = 8


class Level(IntEnum):
    """How bad it is, and what follows."""

    NORMAL = 0
    HOLD = 1
    """New work waits; what has begun goes on."""
    SHRINK = 2
    """And steps and windows of pages become smaller."""
    DRAIN = 3
    """What has begun is finished, then the process is replaced. There is no way back."""


@dataclass(frozen=True)
class Thresholds:
    """From when on a level applies, in shares of the reserve that are in use.

    Attributes:
        hold: from here on new work waits.
        shrink: from here on steps become smaller.
        drain: from here on the process is replaced.
        margin: how far below its threshold a level ends.
        patience: observations in a row after which what does not get better is taken to be worse.
    """

    hold: float = 0.4
    shrink: float = 0.6
    drain: float = 0.85
    margin: float = 0.15
    patience: int = 3

    def __post_init__(self) -> None:
        """Refuse thresholds that contradict each other."""
        if not 0 < self.margin < self.hold < self.shrink < self.drain:
            raise ValueError("thresholds rise from hold to drain, and begin above their margin")
        if self.patience < 1:
            raise ValueError("patience is for one observation or more")

    def begin(self, level: Level) -> float:
        """Return the share at which `level` begins."""
        return {Level.HOLD: self.hold, Level.SHRINK: self.shrink, Level.DRAIN: self.drain}[level]


@dataclass(frozen=True)
class Verdict:
    """What is to be done now.

    Attributes:
        level: how bad it is.
        halvings: how many times steps and windows are to be halved.
    """

    level: Level
    halvings: int

    @property
    def admits(self) -> bool:
        """Whether new work may begin."""
        return self.level is Level.NORMAL


class VramGuard:
    """Judges one observation after the other. A level begins at once and ends with hesitation.

    Args:
        planned_bytes: memory that the engine means to use.
        reserve_bytes: memory beyond it that is meant to stay free.
        thresholds: when what follows.
    """

    def __init__(self, planned_bytes: int, reserve_bytes: int, thresholds: Thresholds) -> None:
        self._planned = planned_bytes
        self._reserve = max(1, reserve_bytes)
        self._thresholds = thresholds
        self._level = Level.NORMAL
        self._halvings = 0
        self._hopeless = 0
        self._bad = 0

    def observe(self, used_bytes: int, *, is_idle: bool) -> Verdict:
        """Return what to do when `used_bytes` of the GPU are in use, by whomever.

        Args:
            used_bytes: memory in use.
            is_idle: whether nothing is in work, so that nothing will give memory back.
        """
        if self._level is not Level.DRAIN:
            self._judge((used_bytes - self._planned) / self._reserve, is_idle=is_idle)
        return Verdict(self._level, self._halvings)

    def _judge(self, share: float, *, is_idle: bool) -> None:
        level = self._level_at(share)
        patience = self._thresholds.patience
        is_critical = share >= self._thresholds.drain
        is_stuck = is_idle and level is not Level.NORMAL
        self._hopeless = self._hopeless + 1 if is_critical or is_stuck else 0
        self._bad = self._bad + 1 if level is Level.SHRINK else 0
        if self._hopeless >= patience:
            self._level = Level.DRAIN
            return
        if level is Level.NORMAL:
            self._halvings = 0
        elif self._bad % patience == 1 or patience == 1:
            self._halvings = min(self._halvings + (level is Level.SHRINK), _MOST_HALVINGS)
        self._level = level

    def _level_at(self, share: float) -> Level:
        """Return the level at `share` of the reserve, short of the last one."""
        for level in (Level.SHRINK, Level.HOLD):
            begin = self._thresholds.begin(level)
            is_staying = self._level >= level
            if share >= (begin - self._thresholds.margin if is_staying else begin):
                return level
        return Level.NORMAL


def shrunk(limits: Limits, halvings: int) -> Limits:
    """Return `limits` whose steps are halved `halvings` times, down to one page."""
    return replace(
        limits,
        encoder_pages=max(1, limits.encoder_pages >> halvings),
        encoder_tiles=limits.encoder_tiles >> halvings,
        prefill_tokens=max(1, limits.prefill_tokens >> halvings),
    )


def heed(verdict: Verdict, scheduler: Scheduler, limits: Limits) -> None:
    """Let `scheduler`, whose limits are `limits` when all is well, do as `verdict` says."""
    scheduler.admits = verdict.admits
    scheduler.limits = shrunk(limits, verdict.halvings)


def smaller_tiles(family: Family, tiles: int) -> int | None:
    """Return with how many tiles to try a page again for which memory did not suffice.

    None: it had none, there is nothing smaller.

    Raises:
        ValueError: the family knows no such number of tiles.
    """
    if not 0 <= tiles <= MODELS[family].most_tiles:
        raise ValueError(f"{family} has no pages of {tiles} tiles")
    medium = max_tiles(family, Tier.MEDIUM)
    if tiles == 0:
        return None
    return medium if tiles > medium else 0
