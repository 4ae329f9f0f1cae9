"""Which file systems tell of changes that somebody else makes."""

from __future__ import annotations

import os
import re

# those of Linux that show what other machines write, or a host, and tell nothing of it
_SILENT = re.compile(
    r"nfs\d?|cifs|smb\d?|smbfs|9p|afs|ceph|glusterfs|lustre|vboxsf|vmhgfs|prl_fs|davfs|ncpfs|coda|"
    r"fuse\.(sshfs|rclone|s3fs|gcsfuse|vmhgfs-fuse|davfs2?|glusterfs|curlftpfs|smbnetfs)"
)
MOUNTS = "/proc/self/mounts"


def is_silent(folder: str, mounts: str = MOUNTS) -> bool:
    """Whether the folder lies on a network file system; False where that cannot be found out."""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.split(" ") for line in file]
    except OSError:
        return False
    folder = os.path.realpath(folder)
    best, kind = "", ""
    for fields in lines:
        if len(fields) > 2:
            point = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), fields[1])
            if len(point) >= len(best) and (folder == point or folder.startswith(point.rstrip("/") + "/")):
                best, kind = point, fields[2]
    return _SILENT.fullmatch(kind) is not None
