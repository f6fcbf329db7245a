"""Mounts of this machine."""

from pathlib import Path

from localcluster import commands

MOUNTINFO = Path("/proc/self/mountinfo")


def points(mountinfo: str) -> list[tuple[Path, str]]:
    """Mount points with the type of their file system, in the order they were mounted."""
    found = []
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        # The kernel writes a blank in a path as \040.
        path = before.split()[4].encode().decode("unicode_escape")
        found.append((Path(path), after.split()[0]))
    return found


def is_mount(path: Path) -> bool:
    """Whether something is mounted right there (also a single file)."""
    return any(point == path for point, _ in points(MOUNTINFO.read_text()))


def kind(path: Path) -> str:
    """The type of the file system that holds the path."""
    held = [entry for entry in points(MOUNTINFO.read_text()) if path.is_relative_to(entry[0])]
    return max(held, key=lambda entry: len(entry[0].parts))[1]


def unmount(root: Path) -> None:
    """Unmount what is mounted at the path and below it, the last first."""
    below = [point for point, _ in points(MOUNTINFO.read_text()) if point.is_relative_to(root)]
    for point in reversed(below):
        # Lazy as the second try: what a dying process still holds goes when it lets go.
        if not commands.succeeds(["umount", point]):
            commands.output(["umount", "--lazy", point])
