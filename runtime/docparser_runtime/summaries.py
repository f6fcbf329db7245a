"""What an answer says of all pages together; collected page by page."""

from dataclasses import dataclass

from docparser_runtime.schemas import PageBody, SummaryBody, Timings


@dataclass
class Sums:
    """Grows with every page."""

    repaired: bool = False
    queue_seconds: float = 0.0
    parse_seconds: float = 0.0
    vision_tokens: int = 0
    generated_tokens: int = 0
    truncated: bool = False
    lowered: bool = False
    repetition: bool = False

    def add(self, page: PageBody) -> None:
        """Take note of a page."""
        self.vision_tokens += page.vision_tokens
        self.generated_tokens += page.generated_tokens
        self.truncated |= page.truncated
        self.lowered |= page.lowered
        self.repetition |= page.repetition

    def body(self, request_id: str, model: str) -> SummaryBody:
        """Return the sums as a part of an answer."""
        return SummaryBody(
            request_id=request_id,
            model=model,
            vision_tokens=self.vision_tokens,
            repaired=self.repaired,
            generated_tokens=self.generated_tokens,
            truncated=self.truncated,
            lowered=self.lowered,
            repetition=self.repetition,
            timings=Timings(queue=self.queue_seconds, parse=self.parse_seconds),
        )
