"""Which file systems are looked through, by the system's own list of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.system.following.followed_folder import is_silent

LIST = r"""/dev/sda1 / ext4 rw 0 0
server:/home /mnt/home nfs4 rw 0 0
/dev/sdb1 /mnt/home/usb ext4 rw 0 0
//host/share /mnt/my\040share cifs rw 0 0
me@host: /mnt/ssh fuse.sshfs rw 0 0
broken
"""


@pytest.mark.parametrize(
    ("folder", "silent"),
    [
        ("/home/me", False), ("/mnt/home", True), ("/mnt/home/me/.claude", True), ("/mnt/homeless", False),
        ("/mnt/home/usb/x", False), ("/mnt/my share/x", True), ("/mnt/ssh", True),
    ],
)  # fmt: skip
def test_network_file_systems(tmp_path: Path, folder: str, silent: bool) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(LIST)
    assert is_silent(folder, str(mounts)) is silent


def test_a_system_without_a_list(tmp_path: Path) -> None:
    assert not is_silent(str(tmp_path), str(tmp_path / "none"))
