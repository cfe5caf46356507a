"""Network file systems, where one writer cannot be guaranteed, are refused with a hint."""

from pathlib import Path

import pytest

from holdfast.errors import ReadOnly
from holdfast.stores.files.filesystems import file_system, refuse_network

MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:26 / /home rw - nfs4 server:/export rw,vers=4.2
31 30 0:27 / /home/local rw - xfs /dev/sdb1 rw
32 22 0:28 / /mnt/with\\040space\\134 rw master:1 - cifs //server/share rw
33 22 0:29 / /mnt/données rw - fuse.sshfs alice@host: rw
34 22 0:30 / /mnt/later rw - ext4 /dev/sdc1 rw
35 22 0:31 / /mnt/later rw - nfs server:/later rw

too short - ext4
36 22 0:32 / /mnt/noseparator rw nfs
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/lib", "ext4"),
        ("/home/alice", "nfs4"),
        ("/home/local/alice", "xfs"),
        ("/homestead", "ext4"),
        ("/mnt/with space\\/x", "cifs"),
        ("/mnt/données/x", "fuse.sshfs"),
        ("/mnt/later", "nfs"),
        ("/mnt/noseparator", "ext4"),
    ],
)
def test_the_deepest_and_latest_mount_tells_the_file_system(path: str, kind: str) -> None:
    """
    The mount that holds a path is the longest one it lies below, and of those the last.
    """
    assert kind == file_system(Path(path), MOUNTS)


def test_without_a_matching_mount_nothing_is_known() -> None:
    """
    An odd table is no reason to refuse.
    """
    assert "" == file_system(Path("/somewhere"), "")


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "9p", "fuse.sshfs"])
def test_a_network_file_system_is_refused_with_a_hint(tmp_path: Path, kind: str) -> None:
    """
    Who cannot write there is told why, and what to do instead.
    """
    table = tmp_path / "mountinfo"
    table.write_text(f"22 1 8:1 / / rw - {kind} server:/export rw\n")

    with pytest.raises(ReadOnly) as refused:
        refuse_network(tmp_path / "store", table)

    assert kind in refused.value.message
    assert "local disk" in refused.value.hint


def test_a_local_file_system_is_fine(tmp_path: Path) -> None:
    """
    So is a system that does not tell.
    """
    table = tmp_path / "mountinfo"
    table.write_text("22 1 8:1 / / rw - ext4 /dev/sda1 rw\n")

    refuse_network(tmp_path / "store", table)
    refuse_network(tmp_path / "store", tmp_path / "missing")
