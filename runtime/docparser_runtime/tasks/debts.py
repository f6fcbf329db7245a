"""Jobs that a worker is done with and still has to give back, as the queue did not answer.

Without them the lease would end, and an outage of the queue would count as a crash over a document.
"""

from contextlib import suppress

from docparser_runtime.queue.base import LostClaim, Working
from docparser_runtime.queue.values import Claim
from docparser_runtime.task_errors import QueueUnavailable


class Debts:
    """Claims of one worker that it owes to the queue."""

    def __init__(self, queue: Working) -> None:
        self._queue = queue
        self._claims: dict[str, Claim] = {}

    @property
    def owners(self) -> tuple[str, ...]:
        """Owners of the claims; their leases are to be renewed until they are given back."""
        return tuple(self._claims)

    async def give_back(self, claim: Claim) -> None:
        """Give the job back unless it has ended or is somebody else's; later if need be."""
        self._claims[claim.owner] = claim
        with suppress(QueueUnavailable):
            await self._released(claim)

    async def settle(self) -> None:
        """Give back what is owed.

        Raises:
            QueueUnavailable: the queue does not answer; what is left is still owed.
        """
        for claim in [*self._claims.values()]:
            await self._released(claim)

    async def _released(self, claim: Claim) -> None:
        with suppress(LostClaim):
            await self._queue.release(claim)
        self._claims.pop(claim.owner, None)
