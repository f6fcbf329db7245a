"""How long workers take to come where there are none, as the operator tells in a file."""

from collections.abc import Callable
from pathlib import Path

from docparser_api.names import WAKE_UP_FILE
from docparser_api.wakeup import WakeUp


def wake_up_of(split_file: Path | None) -> Callable[[], int | None]:
    """Return what reads the seconds: None where nobody knows them, or the file cannot be read.

    It lies beside the file that splits tasks, comes once the time has been learned, and changes.
    """

    def read() -> int | None:
        if split_file is None:
            return None
        file = split_file.with_name(Path(WAKE_UP_FILE).name)
        try:
            return WakeUp.model_validate_json(file.read_bytes()).wake_up_seconds
        except (OSError, ValueError):
            return None

    return read
