"""The failures that the process reports by name; the service knows what they mean to a client."""

from enum import StrEnum

OUT_OF_MEMORY_EXIT = 77
"""Exit code of a process that could not get memory: it is in no state to say so otherwise."""


class Failure(StrEnum):
    """Why a document or a page cannot be had."""

    CORRUPT = "corrupt"
    ENCRYPTION_UNKNOWN = "encryption_unknown"
    IMAGE_TOO_LARGE = "image_too_large"
    NO_PAGES = "no_pages"
    PAGE_INVALID = "page_invalid"
    PASSWORD_INVALID = "password_invalid"  # noqa: S105 - the name of a failure
    PASSWORD_REQUIRED = "password_required"  # noqa: S105 - the name of a failure
    TOO_MANY_PAGES = "too_many_pages"


class Refused(Exception):  # noqa: N818 - the name says it
    """The document or page cannot be had."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure = failure
