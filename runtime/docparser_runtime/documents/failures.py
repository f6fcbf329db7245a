"""Which error a client is told when the parser process fails, by its own word or by its death."""

import signal
from collections.abc import Mapping
from dataclasses import dataclass

from docparser_runtime import errors
from docparser_runtime.parser_child.failures import OUT_OF_MEMORY_EXIT, Failure
from docparser_runtime.parser_child.limits import LONGEST_SIDE

_CORRUPT = "The document is damaged and could not be repaired."
_MEMORY = "The document takes more memory than a document may use here."
_CRASHED = "The document made the program that opens it fail."
_UNKNOWN = "The programs that open documents were ended; send the document again."
_TIMEOUT = "Opening or drawing a page of the document took too long."

_SIZE = f"The image has more pixels than a page may have here, or a side of over {LONGEST_SIDE}."

_ERRORS: Mapping[Failure, tuple[type[errors.DocParserError], str]] = {
    Failure.CORRUPT: (errors.DocumentCorrupt, _CORRUPT),
    Failure.ENCRYPTION_UNKNOWN: (
        errors.UnsupportedEncryption,
        "The document is encrypted by a method that no password opens here.",
    ),
    Failure.IMAGE_TOO_LARGE: (errors.ImageTooLarge, _SIZE),
    Failure.NO_PAGES: (errors.NoPages, "The document has no pages."),
    Failure.PAGE_INVALID: (errors.PageInvalid, "A page of the document has no usable size."),
    Failure.PASSWORD_INVALID: (
        errors.PasswordInvalid,
        "The password does not open the document.",
    ),
    Failure.PASSWORD_REQUIRED: (
        errors.PasswordRequired,
        "The document is encrypted; send its password along.",
    ),
    Failure.TOO_MANY_PAGES: (
        errors.TooManyPages,
        "The document has more pages than a document may have here.",
    ),
}


@dataclass(frozen=True)
class Death:
    """How the parser process ended.

    Attributes:
        exit_code: as subprocess gives it, negative for a signal; None when nobody can tell,
            because what starts such processes died as well.
        grown_bytes: most memory that its document took.
    """

    exit_code: int | None
    grown_bytes: int


def error_of(failure: Failure) -> errors.DocParserError:
    """Return the error that stands for a failure which the process reported."""
    kind, detail = _ERRORS[failure]
    return kind(detail)


def error_of_death(death: Death, memory_bytes: int) -> errors.DocParserError:
    """Return the error that stands for a death which nobody in this process caused."""
    if death.exit_code is None:
        return errors.ParserUnavailable(_UNKNOWN)
    if death.exit_code == -signal.SIGXCPU:
        return timeout()
    # SIGKILL comes from the kernel when memory runs out.
    if death.exit_code in (OUT_OF_MEMORY_EXIT, -signal.SIGKILL):
        return errors.ResourceLimit(_MEMORY)
    # Libraries in C++ crash in various ways when they get no memory. A growing array
    # takes three times its size while it is copied, so a third of the limit can be all.
    if death.grown_bytes > memory_bytes / 3:
        return errors.ResourceLimit(_MEMORY)
    return crash()


def crash() -> errors.DocParserError:
    """Return the error for a process that died or talked nonsense."""
    return errors.ParserCrashed(_CRASHED)


def timeout() -> errors.DocParserError:
    """Return the error for a process that took too long."""
    return errors.DocumentTimeout(_TIMEOUT)
