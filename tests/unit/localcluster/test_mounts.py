from pathlib import Path

from localcluster import mounts

MOUNTINFO = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:26 / /run/my\\040folder rw shared:1 - tmpfs tmpfs rw
31 30 0:4 net:[4026532] /run/my\\040folder/ns rw - nsfs nsfs rw
"""


def test_mount_points_keep_their_order_and_blanks() -> None:
    assert mounts.points(MOUNTINFO) == [
        (Path("/"), "ext4"),
        (Path("/run/my folder"), "tmpfs"),
        (Path("/run/my folder/ns"), "nsfs"),
    ]


def test_this_machine_has_a_root_file_system() -> None:
    assert mounts.is_mount(Path("/proc"))
    assert mounts.kind(Path("/proc/self")) == "proc"
