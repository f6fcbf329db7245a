"""What gateways are told of how long workers take to come, in the ConfigMap of the split."""

import math
from typing import Final

from pydantic import Field

from docparser_api.base import ApiModel

_STEP_SECONDS: Final = 10


class WakeUp(ApiModel):
    """How long a document waits where no worker runs."""

    wake_up_seconds: int = Field(ge=1, le=86_400)
    """Time from its arrival until it is read, in seconds."""


def promised(seconds: int) -> WakeUp:
    """Return what is promised where it takes so long: in coarse steps, to be written seldom."""
    return WakeUp(wake_up_seconds=_STEP_SECONDS * max(1, math.ceil(seconds / _STEP_SECONDS)))
