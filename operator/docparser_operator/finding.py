"""A condition without its times."""

from dataclasses import dataclass
from typing import Literal

from docparser_api.status import ConditionType, Reason

Truth = Literal["True", "False", "Unknown"]


@dataclass(frozen=True)
class Finding:
    """A condition without its times."""

    type: ConditionType
    status: Truth
    reason: Reason
    message: str
