"""What a forecast depends on besides the object."""

from dataclasses import dataclass
from enum import Enum, auto

from docparser_operator.kinds import Manifest


class Unseen(Enum):
    """Why an object is not to be seen."""

    MISSING = auto()
    """It does not exist."""
    HIDDEN = auto()
    """The user may not look at it, or nothing names it."""


@dataclass(frozen=True)
class Surroundings:
    """What else the cluster told.

    Attributes:
        nodes: all nodes; None where the user may not list them.
        pods: all pods of the cluster; None where the user may not list them.
        config_map: with the manifest of the weights.
        claim: volume that caches the weights.
    """

    nodes: list[Manifest] | None = None
    pods: list[Manifest] | None = None
    config_map: Manifest | Unseen = Unseen.HIDDEN
    claim: Manifest | Unseen = Unseen.HIDDEN
