"""What can go wrong, in words for the one who typed the command."""


class Failure(Exception):  # noqa: N818 (it is what the user reads, not a fault of the program)
    """One line that says what is wrong and what to do; the command ends with exit code 1."""


class Unreachable(Failure):
    """The API server gave no answer, or not now; another attempt may succeed."""


class Refused(Failure):
    """The API server answered with an error.

    Args:
        status: HTTP status.
        message: its own words.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
