"""The port to the folders of skills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from stemmata.domain.chat.skills import SkillLibrary


class SkillFolders(Protocol):
    """Reads folders of skills. Each call reads the files anew and may wait for a slow drive."""

    def read(self, folders: Sequence[str], cwd: str) -> SkillLibrary:
        """Return the skills below these folders; a relative folder is one of `cwd`, and left out when `cwd` is "".

        Raises no error for invalid skills: a folder or file that cannot be used is one of the problems.
        """
        ...
