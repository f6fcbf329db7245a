"""What can go wrong at the API server, sorted by what to do about it."""


class ApiError(Exception):
    """The API server refused a request for good; trying again needs a change somewhere.

    Attributes:
        status: HTTP status.
        message: the server's own words.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


class NotFoundError(ApiError):
    """The object does not exist."""


class ConflictError(ApiError):
    """The object changed meanwhile, or another owner holds the fields: read again."""


class UnavailableError(Exception):
    """The API server cannot be reached or is busy: try again later.

    Attributes:
        retry_after_seconds: what the server asked for, if it did.
    """

    def __init__(self, message: str, retry_after_seconds: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class NotLeaderError(Exception):
    """This process may not write: its lease has run out."""


class NameTakenError(Exception):
    """An object of somebody else bears a name that we need.

    Attributes:
        what: kind and name of that object, for the reader.
    """

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what
