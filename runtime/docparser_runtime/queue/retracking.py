"""How jobs whose track is gone come to another one."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from sqlalchemy import Connection, select, update

from docparser_runtime.queue.schema import IS_QUEUED, JOBS


def retrack(connection: Connection, known: Collection[str], tracks: Sequence[str]) -> int:
    """Give the oldest jobs that wait for a track which is not known these tracks; return how many.

    Jobs that are being read stay with who reads them.
    """
    strays = (
        select(JOBS.c.seq)
        .where(IS_QUEUED, JOBS.c.track.not_in(sorted(known)))
        .order_by(JOBS.c.seq)
        .limit(len(tracks))
        .with_for_update(skip_locked=True)
    )
    given = defaultdict(list)
    for seq, track in zip(connection.execute(strays).scalars(), tracks, strict=False):
        given[track].append(seq)
    moved = 0
    for track, jobs in given.items():
        change = update(JOBS).where(JOBS.c.seq.in_(jobs), IS_QUEUED)
        moved += connection.execute(change.values(track=track, version=JOBS.c.version + 1)).rowcount
    return moved
