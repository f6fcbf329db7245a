"""Counts what came of jobs that were submitted and worked on while processes were killed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from docparser_runtime.queue.values import Job, State
from support.queue_processes import Entry


@dataclass(frozen=True)
class Count:
    """The total-queue count, and what was read twice.

    Attributes:
        lost: jobs that were acknowledged and are not done.
        dead: jobs that were given up after crashes without progress; they are lost, too.
        unexpected: jobs that are there and were never submitted.
        recovered: jobs that are done though their acknowledgement was never heard.
        finished_twice: jobs whose end was accepted from more than one worker.
        shown_twice: jobs that a list of all has more than once.
        incomplete: jobs that are done and have not all of their pages.
        in_hand: pages whose reading began again, as their worker had not saved them.
        woken: pages that a paused worker went on with, as it had not heard yet of its loss, and
            that were saved meanwhile.
        most_in_hand: most pages that one worker had begun of a job and not saved.
        read_again: pages that were known as saved and yet read by who had the job.
        unavailable: calls that were told that the database does not answer.
    """

    submitted: int
    acknowledged: int
    done: int
    lost: int
    dead: int
    unexpected: int
    recovered: int
    finished_twice: int
    shown_twice: int
    incomplete: int
    pages: int
    in_hand: int
    woken: int
    most_in_hand: int
    read_again: int
    unavailable: int

    def is_sound(self, window: int) -> bool:
        """Whether the queue kept its promises to workers that save so many pages at once."""
        broken = (self.lost, self.unexpected, self.finished_twice, self.shown_twice)
        return not any((*broken, self.incomplete, self.read_again)) and self.most_in_hand <= window


def counted(found: Sequence[Entry], listed: Sequence[Job]) -> Count:
    """Return the count of a record, in the order of time, and of a list of all jobs at the end."""
    jobs = {what: {e.job for e in found if e.what == what} for what in ("try", "ack")}
    done = {job.id for job in listed if job.state is State.DONE}
    shown = Counter(job.id for job in listed)
    reading = _Reading()
    reading.follow(found)
    return Count(
        submitted=len(jobs["try"]),
        acknowledged=len(jobs["ack"]),
        done=len(done),
        lost=len(jobs["ack"] - done),
        dead=sum(job.state is State.DEAD for job in listed),
        unexpected=len(shown.keys() - jobs["try"]),
        recovered=len(done - jobs["ack"]),
        finished_twice=_repeated(entry.job for entry in found if entry.what == "done"),
        shown_twice=sum(times > 1 for times in shown.values()),
        incomplete=sum(job.id in done and job.pages_done != job.pages for job in listed),
        pages=len(reading.begun),
        in_hand=reading.in_hand,
        woken=reading.woken,
        most_in_hand=reading.most_in_hand,
        read_again=reading.read_again,
        unavailable=sum(entry.what == "unavailable" for entry in found),
    )


def _repeated(jobs: Iterable[str]) -> int:
    return sum(times > 1 for times in Counter(jobs).values())


class _Reading:
    """Follows which pages are read, by whom, and which are saved.

    A worker may be paused before it can tell that it has a job, and tell it when it has lost it
    again. So what counts is when it asked, and whether the queue takes what it reads.
    """

    def __init__(self) -> None:
        self.begun: set[tuple[str, int]] = set()
        self.in_hand = self.woken = self.read_again = self.most_in_hand = 0
        self._saved_ns: dict[tuple[str, int], int] = {}
        self._asked_ns: dict[int, int] = {}
        self._hands: dict[tuple[str, int], _Hand] = {}

    def follow(self, found: Sequence[Entry]) -> None:
        """Take in a record."""
        for entry in found:
            worker = (entry.job, entry.pid)
            if entry.what == "ask":
                self._asked_ns[entry.pid] = entry.time_ns
            elif entry.what == "claim":
                self._hands[worker] = _Hand(self._asked_ns[entry.pid])
            elif entry.what == "saved":
                self._save(entry, self._hands[worker])
            elif entry.what == "page":
                self._begin(entry, self._hands[worker])

    def _save(self, entry: Entry, hand: "_Hand") -> None:
        if entry.page in hand.late:
            # Only who has the job is heard: it had it, and read the page all the same.
            self.woken -= 1
            self.read_again += 1
        hand.pages.discard(entry.page)
        self._saved_ns.setdefault((entry.job, entry.page), entry.time_ns)

    def _begin(self, entry: Entry, hand: "_Hand") -> None:
        page = (entry.job, entry.page)
        saved_ns = self._saved_ns.get(page)
        if saved_ns is None:
            self.in_hand += page in self.begun
        elif saved_ns < hand.asked_ns:
            self.read_again += 1
        else:
            self.woken += 1
            hand.late.add(entry.page)
        self.begun.add(page)
        hand.pages.add(entry.page)
        self.most_in_hand = max(self.most_in_hand, len(hand.pages))


@dataclass
class _Hand:
    """Pages of a job that a worker has begun and not saved, and those saved since it asked."""

    asked_ns: int
    pages: set[int] = field(default_factory=set)
    late: set[int] = field(default_factory=set)
