"""Reads folders of skills. Nothing in them is trusted: neither sizes, nor links, nor the content of files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from stemmata.domain.chat.skills import FILE_NAME, Skill, SkillLibrary, SkillProblem, library_of, skill_of
from stemmata.domain.text.phrases import Phrase

LARGEST = 256 * 1024  # bytes of a file SKILL.md
MOST_FOLDERS = 2000  # folders that are searched below one chosen folder
MOST_SKILLS = 200  # skills of all chosen folders
DEEPEST = 6  # levels below a chosen folder
_SKIPPED = frozenset({"node_modules"})  # beside folders whose names begin with a dot


class SkillFiles:
    """Implements `services.ports.skills.SkillFolders`."""

    def read(self, folders: Sequence[str], cwd: str) -> SkillLibrary:
        """As described in `SkillFolders`. `~` at the beginning of a folder is the home folder."""
        skills: list[Skill] = []
        problems: list[SkillProblem] = []
        for folder in folders:
            path = Path(os.path.expanduser(folder))
            if not path.is_absolute() and not (cwd and os.path.lexists(Path(cwd, path))):
                continue  # few folders of sessions have skills of their own
            for found in _found(Path(cwd, path)):
                if isinstance(found, SkillProblem):
                    problems.append(found)
                elif len(skills) < MOST_SKILLS:
                    skills.append(found)
                else:
                    problems.append(
                        SkillProblem(found.path, Phrase("Only the first {0} skills are used.", MOST_SKILLS))
                    )
                    return library_of(skills, problems)
        return library_of(skills, problems)


def _found(top: Path) -> Iterator[Skill | SkillProblem]:
    """Yield the skills and problems below a chosen folder, in the order of the names. Links do not lead out of it."""
    try:
        real = top.resolve(strict=True)
    except (OSError, ValueError, RuntimeError):  # RuntimeError: a loop of links, before Python 3.13
        yield SkillProblem(str(top), Phrase("The folder does not exist or cannot be read."))
        return
    waiting, seen = [(top, 0)], set[Path]()
    while waiting:
        folder, depth = waiting.pop()
        try:
            inside = folder.resolve(strict=True)
            if inside in seen:
                continue
            seen.add(inside)
            if inside != real and real not in inside.parents:
                yield SkillProblem(str(folder), Phrase("The link leads out of the chosen folder."))
                continue
            if len(seen) > MOST_FOLDERS:
                yield SkillProblem(str(top), Phrase("Only the first {0} folders were searched.", MOST_FOLDERS))
                return
            if os.path.lexists(folder / FILE_NAME):
                yield from _skill(folder, real)
            elif depth < DEEPEST:
                waiting += [(below, depth + 1) for below in reversed(_folders_in(folder))]
        except (OSError, RuntimeError) as error:
            yield SkillProblem(str(folder), _unreadable(error))


def _folders_in(folder: Path) -> list[Path]:
    names = [name for name in sorted(os.listdir(folder)) if not name.startswith(".") and name not in _SKIPPED]
    return [folder / name for name in names if os.path.isdir(folder / name)]


def _skill(folder: Path, real: Path) -> Iterator[Skill | SkillProblem]:
    path = folder / FILE_NAME
    try:
        text = _text(path, real)
    except (OSError, RuntimeError) as error:
        yield SkillProblem(str(path), _unreadable(error))
        return
    if isinstance(text, Phrase):
        yield SkillProblem(str(path), text)
        return
    skill, problems = skill_of(text, str(path), folder.name)
    yield from problems
    if skill is not None:
        yield skill


def _text(path: Path, real: Path) -> str | Phrase:
    """Return the file's text, or the reason why it is not used."""
    if real not in path.resolve(strict=True).parents:
        return Phrase("The link leads out of the chosen folder.")
    # without blocking, since opening a pipe waits for its writer
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return Phrase("The path is not a regular file.")
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        return Phrase("The file is larger than {0} kB.", LARGEST // 1024)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Phrase("The file is not text in UTF-8.")
    return Phrase("The file is not text in UTF-8.") if "\0" in text else text.replace("\r\n", "\n")


def _unreadable(error: Exception) -> Phrase:
    reason = error.strerror if isinstance(error, OSError) else None
    return Phrase("The file or folder cannot be read: {0}.", reason or str(error))
