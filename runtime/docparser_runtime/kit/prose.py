"""Pure: sentences without end, the same for the same seed."""

import random
from typing import Final

_SUBJECTS: Final = (
    *("The harbour master", "A young gardener", "The night train", "Our oldest neighbour"),
    *("The village choir", "A careful printer", "The lighthouse keeper", "Her younger brother"),
    *("The bridge builder", "A patient teacher", "The last ferry", "The clock maker"),
)
_VERBS: Final = (
    *("counts", "remembers", "describes", "measures", "follows", "repairs", "paints", "forgets"),
    *("collects", "studies", "visits", "guards"),
)
_OBJECTS: Final = (
    *("the small boats", "a row of apple trees", "every stone of the wall", "the old maps"),
    *("the letters of the week", "a song about winter", "the broken wheel", "the quiet streets"),
    *("the height of the water", "two baskets of bread", "the colour of the sky", "a garden gate"),
)
_ENDINGS: Final = (
    *("before the rain begins", "with great care", "on the first Monday in spring"),
    *("while the others sleep", "from a window above the market", "without a single mistake"),
    *("until the lamps are lit", "for the third time this year", "in a book with a green cover"),
    *("when the wind turns north", "as it was always done", "and thanks everybody for the help"),
)
_TITLES: Final = (
    *("Notes from the Harbour", "Work of the Morning", "What the River Brings"),
    *("Tools and Their Names", "The Road to the Market", "Letters from Abroad"),
    *("Bread and Salt", "The Long Winter", "A Garden Wall", "Lights in the Fog"),
)
_GOODS: Final = (
    *("Lanterns", "Ropes", "Barrels", "Blankets", "Hammers", "Candles", "Ladders", "Kettles"),
    *("Baskets", "Brushes"),
)


class Prose:
    """Chooses texts by a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 (no secret)

    def paragraph(self, sentences: int = 4) -> str:
        """Return a paragraph."""
        return " ".join(self._sentence() for _ in range(sentences))

    def title(self) -> str:
        """Return what may stand above paragraphs."""
        return self._random.choice(_TITLES)

    def rows(self, count: int) -> tuple[tuple[str, ...], ...]:
        """Return a table of at most 10 goods, its head first."""
        goods = self._random.sample(_GOODS, count)
        cells = ((name, self._number(900), f"{self._number(90)}.50") for name in goods)
        return (("Item", "Pieces", "Price"), *cells)

    def _number(self, most: int) -> str:
        return str(self._random.randint(10, most))

    def _sentence(self) -> str:
        parts = (_SUBJECTS, _VERBS, _OBJECTS, _ENDINGS)
        return " ".join(self._random.choice(part) for part in parts) + "."
