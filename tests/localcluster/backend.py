"""Which cluster the commands speak to."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from localcluster import kind, paths
from localcluster.console import Failure
from localcluster.kind import KindCluster
from localcluster.local import LocalCluster

CHOICE_ENV = "DOCPARSER_CLUSTER"


class Cluster(Protocol):
    """What both kinds of cluster can do."""

    def up(self) -> None:
        """Return with a working cluster."""

    def down(self) -> None:
        """Leave nothing behind."""

    def running(self) -> bool:
        """Whether it is up."""

    def status(self) -> list[str]:
        """What there is, for people."""

    def load(self, archives: Sequence[Path]) -> None:
        """Make the images of the archives known to the node."""


def chosen() -> Cluster:
    """The forced one, else kind where it can run, else this machine itself."""
    choice = os.environ.get(CHOICE_ENV, "")
    if choice not in ("", "kind", "local"):
        raise Failure(f"{CHOICE_ENV} is {choice!r}; it may be kind or local")
    if choice == "kind" or (not choice and kind.usable()):
        return KindCluster(paths.state())
    return LocalCluster(paths.state())
