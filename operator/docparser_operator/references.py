"""How people name a revision: by number, by hash, or by a resourceVersion. Pure."""

import re
from collections.abc import Mapping

from docparser_operator.revisions import Revision

_AT_VERSION = re.compile(r"^resourceVersion:(\d+)$")


def find_revision(text: str, known: Mapping[str, Revision]) -> Revision | None:
    """Return the revision that `text` names; None if there is none.

    A number is any of those that a revision has had, a hash may be cut short if it stays clear, and
    `resourceVersion:N` names the revision that was wanted when the object had that version.
    """
    if found := _AT_VERSION.match(text):
        return _wanted_at(int(found[1]), known)
    if text.isdecimal():
        for revision in known.values():
            if any(seen.number == int(text) for seen in revision.observations):
                return revision
    matching = [revision for name, revision in known.items() if text and name.startswith(text)]
    return matching[0] if len(matching) == 1 else None


def _wanted_at(version: int, known: Mapping[str, Revision]) -> Revision | None:
    """Return the revision that was first seen last, at or before `version`."""
    seen = [
        (int(observation.resource_version), revision.hash)
        for revision in known.values()
        for observation in revision.observations
        if observation.resource_version.isdecimal() and int(observation.resource_version) <= version
    ]
    return known[max(seen)[1]] if seen else None
