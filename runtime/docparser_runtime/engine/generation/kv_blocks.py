"""Who owns which blocks of keys and values."""

BLOCK_TOKENS = 32
"""Tokens whose keys and values lie in one block."""


def blocks_for(tokens: int) -> int:
    """Return how many blocks hold `tokens` tokens."""
    return -(-tokens // BLOCK_TOKENS)


class KvBlocks:
    """Gives out blocks 1 to `count`; block 0 is nobody's. Each is owned by one request or free."""

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError("there is at least one block")
        self.count = count
        # The last to come back is the first to go out: it may still be in a cache.
        self._free = list(range(count, 0, -1))
        self._owned: dict[int, tuple[int, ...]] = {}

    @property
    def free(self) -> int:
        """How many nobody owns."""
        return len(self._free)

    def take(self, owner: int, count: int) -> None:
        """Give `count` blocks to `owner`.

        Raises:
            ValueError: it has some already, or there are not enough.
        """
        if owner in self._owned:
            raise ValueError(f"request {owner} has its blocks already")
        if not 0 < count <= len(self._free):
            raise ValueError(f"{count} blocks asked for, {len(self._free)} free")
        taken = self._free[-count:]
        del self._free[-count:]
        self._owned[owner] = tuple(reversed(taken))

    def table(self, owner: int) -> tuple[int, ...]:
        """Return the blocks of `owner`, in the order of its tokens.

        Raises:
            KeyError: it has none.
        """
        return self._owned[owner]

    def release(self, owner: int) -> None:
        """Take the blocks of `owner` back.

        Raises:
            KeyError: it has none.
        """
        self._free.extend(reversed(self._owned.pop(owner)))
