"""What a user may call a revision, as the operator reads it."""

from collections.abc import Iterable, Mapping
from typing import Final

from docparser_operator.references import find_revision
from docparser_operator.revisions import HASH_LENGTH, Revision

from docparser_kubectl.errors import Failure

VERSION_PREFIX: Final = "resourceVersion:"


def find(text: str, known: Mapping[str, Revision]) -> Revision:
    """Return the revision that `text` names.

    Raises:
        Failure: none, or more than one, is meant; the message lists those that there are.
    """
    found = find_revision(text, known)
    if found is None:
        raise Failure(f"no single revision is named {text!r}; known are {listing(known.values())}")
    return found


def canonical(text: str, revision: Revision) -> str:
    """Return how the operator is to be told of `revision`, which `text` was found to mean.

    The beginning of a hash becomes the whole: another revision may begin like it one day.
    """
    is_number = text.isdecimal() and len(text) < HASH_LENGTH
    return text if is_number or text.startswith(VERSION_PREFIX) else revision.hash


def listing(revisions: Iterable[Revision]) -> str:
    """Return the revisions in one line, the latest first."""
    ordered = sorted(revisions, key=lambda revision: -revision.number)
    return ", ".join(f"{revision.number} ({revision.hash})" for revision in ordered) or "none"
