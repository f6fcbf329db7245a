"""Pure: how a stream of events is followed through breaks."""

from collections.abc import Callable

from docparser_runtime.client.calls import Call
from docparser_runtime.client.errors import BusyError, UnreachableError
from docparser_runtime.client.events import Event, PageRead
from docparser_runtime.client.retrying import Patience


class Following:
    """What is known of a stream so far, and hence what to ask for next.

    Args:
        call_after: returns the request for what comes after an event.
        resumes: whether a stream that has begun can be asked for again.
    """

    def __init__(
        self,
        call_after: Callable[[str], Call],
        last_event_id: str,
        patience: Patience,
        *,
        resumes: bool,
    ) -> None:
        self._call_after = call_after
        self._last_event_id = last_event_id
        self._patience = patience
        self._resumes = resumes
        self._may_try_again = True

    def call(self) -> Call:
        """Return the request for what is still to come."""
        return self._call_after(self._last_event_id)

    def seen(self, event: Event) -> None:
        """Note that `event` has come."""
        self._may_try_again = self._resumes
        if isinstance(event, PageRead):
            self._last_event_id = event.event_id
            self._patience.renew()

    def pause_seconds(self, error: UnreachableError | BusyError) -> float:
        """Return the pause before the next attempt; raise `error` if there is none."""
        if not self._may_try_again:
            raise error
        return self._patience.pause_seconds(error)
