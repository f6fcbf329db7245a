"""How new tasks are split among revisions: a file that the operator writes and gateways read."""

from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from docparser_api.base import ApiModel

Track = Annotated[str, StringConstraints(min_length=1, max_length=63)]
Weight = Annotated[int, Field(ge=0, le=1_000_000)]


class Split(ApiModel):
    """Shares of new tasks by track, which is a revision in a cluster."""

    tracks: dict[Track, Weight] = Field(min_length=1, max_length=64)
    """Share of each track, relative to the sum of all. A track with 0 gets no new tasks and keeps
    those that wait for it. Tasks that wait for a track which is not named go to the named ones."""

    @model_validator(mode="after")
    def _gives(self) -> "Split":
        if not any(self.tracks.values()):
            raise ValueError("at least one track needs a share above 0")
        return self
