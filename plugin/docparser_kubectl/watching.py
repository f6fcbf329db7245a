"""`status --watch`: the view, drawn anew at each change of the object."""

import math
import time
from contextlib import suppress
from typing import Final

from rich.live import Live

from docparser_kubectl.cluster import KubernetesCluster
from docparser_kubectl.console import console
from docparser_kubectl.errors import Failure, Unreachable
from docparser_kubectl.progress import phase
from docparser_kubectl.status_view import render
from docparser_kubectl.subject import load

WATCH_SECONDS: Final = 10
"""Longest time between two looks: the pods change although the object does not."""
LEAST_SECONDS: Final = 1.0
"""Shortest time between two looks, however often the object changes."""

PATIENCE_SECONDS: Final = 30.0
"""Time without an answer that is borne, as while the control plane is upgraded."""


def follow(cluster: KubernetesCluster, name: str, seconds: int) -> None:
    """Draw the object until its rollout has ended.

    Raises:
        Failure: the rollout failed, or did not end in time.
    """
    deadline = time.monotonic() + seconds
    seen = -math.inf  # The first look must succeed: an address may be wrong.
    with Live(console=console(), auto_refresh=False) as live:
        while True:
            begun = time.monotonic()
            try:
                subject = load(cluster, name)
            except Unreachable:
                if begun - seen > PATIENCE_SECONDS:
                    raise
                time.sleep(LEAST_SECONDS)
                continue
            seen = begun
            live.update(render(subject), refresh=True)
            now = phase(subject)
            if now == "Complete":
                return
            if now == "Failed":
                rollout = subject.status.rollout
                cause = (rollout and rollout.failure) or subject.status.summary
                raise Failure(f"the rollout failed: {cause}")
            left = deadline - begun
            if left <= 0:
                raise Failure(f"the rollout has not ended within {seconds} s; it goes on")
            version = subject.metadata.resource_version
            with suppress(Unreachable):
                cluster.wait_for_change(name, version, max(1, min(WATCH_SECONDS, int(left))))
            time.sleep(max(0.0, LEAST_SECONDS - (time.monotonic() - begun)))
