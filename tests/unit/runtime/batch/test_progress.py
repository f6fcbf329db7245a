"""How far the documents are, as people are told."""

from docparser_runtime.batch.progress import Bar, Outcome


def test_the_bar_grows_by_pages_and_never_back() -> None:
    class Steps:
        def __init__(self) -> None:
            self.taken: list[int] = []

        def update(self, n_steps: int) -> None:
            self.taken.append(n_steps)

    steps = Steps()
    bar = Bar(steps)
    for share in (0.25, 0.5, 0.0):
        bar.moved("a", share)
    bar.ended(Outcome("a", "read"))
    bar.ended(Outcome("b", "skipped"))
    assert steps.taken == [250, 250, 500, 1000]
