"""Who led when, by the audit log, and who wrote out of turn. Pure."""

import itertools
from collections.abc import Iterable

from support.audit import Request

LEASES = "leases"


def out_of_turn(seen: Iterable[Request], users: set[str]) -> list[Request]:
    """Return what one of `users` changed after another of them had taken the Lease.

    A request that was refused changed nothing. Whoever holds the Lease is known from the answers
    of the API server, whatever the processes believe.
    """
    ours = [r for r in seen if r.user in users and r.writes and _succeeded(r)]
    turns = sorted((r.completed, r.user) for r in ours if r.resource == LEASES)
    found = []
    for request in ours:
        before = [user for moment, user in turns if moment <= request.received]
        if request.resource != LEASES and before and before[-1] != request.user:
            found.append(request)
    return found


def changes_of_leader(seen: Iterable[Request], users: set[str]) -> int:
    """Return how often the Lease went from one of `users` to another."""
    ours = (r for r in seen if r.user in users and r.resource == LEASES and r.writes)
    holders = [r.user for r in sorted(ours, key=lambda r: r.completed) if _succeeded(r)]
    return sum(one != other for one, other in itertools.pairwise(holders))


def _succeeded(request: Request) -> bool:
    return 0 < request.code < 300
