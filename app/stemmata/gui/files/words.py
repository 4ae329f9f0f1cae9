"""The texts of the page of files, which rows and screen readers share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from stemmata.domain.files.log import CheckResult, FileStep, FileUse
from stemmata.domain.files.requests import FileAct
from stemmata.domain.files.rows import FileRow, RowKind
from stemmata.domain.files.state import FileState
from stemmata.domain.text.one_line import one_line
from stemmata.gui.cards.tool_line import verdict_words
from stemmata.gui.widgets.figures import number

NANOSECONDS_PER_MS = 1_000_000
LONGEST_PATH = 400  # characters of a path that are shown


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    """Translate a text of the page of files."""
    return QCoreApplication.translate("Files", text, comment, count)


def name_of(path: str) -> str:
    """Return the name of a file without its folders."""
    return one_line(PurePosixPath(path).name or path, LONGEST_PATH)


def folder_of(path: str, root: str) -> str:
    """Return the folder of a file, relative to the session's folder where it is inside."""
    folder = str(PurePosixPath(path).parent)
    top = root.rstrip("/")
    if folder == top or folder == ".":
        return tr("Session folder")
    return one_line(folder.removeprefix(f"{top}/") if top else folder, LONGEST_PATH)


def relative(path: str, root: str) -> str:
    """Return a path relative to the session's folder where it is inside."""
    top = root.rstrip("/")
    return one_line(path.removeprefix(f"{top}/") if top else path, LONGEST_PATH)


def lines_text(added: int, removed: int | None, *, more: bool = False) -> str:
    """Return the numbers of added and removed lines, `+6 −5`; a question mark means that the latter is unknown."""
    return f"{added_text(added)} {removed_text(removed or 0, more=more or removed is None)}"


def added_text(added: int) -> str:
    """Return the number of added lines: `+6`."""
    return f"+{number(added)}"


def removed_text(removed: int, *, more: bool = False) -> str:
    """Return the number of removed lines:

    `−5`; `−?` when the number of removed lines is unknown, `−5?` when only some were counted.
    """
    return f"−{number(removed) if removed or not more else ''}{'?' if more else ''}"


def time_text(time: int) -> str:
    """Return the time of day of a step, in nanoseconds since the epoch; "" when it is not known."""
    if not time:
        return ""
    return QLocale().toString(
        QDateTime.fromMSecsSinceEpoch(time // NANOSECONDS_PER_MS).time(), QLocale.FormatType.ShortFormat
    )


def day_text(time: int) -> str:
    """Return the date of a step in words, "" when it is not known."""
    return QLocale().toString(QDateTime.fromMSecsSinceEpoch(time // NANOSECONDS_PER_MS), "d MMM") if time else ""


def act_text(step: FileStep) -> str:
    """Return the description of a step, such as `edit +6 −5`."""
    match step.act:
        case FileAct.READ:
            return tr("read")
        case FileAct.WRITE:
            return tr("write {0}").format(lines_text(step.added, step.removed))
        case FileAct.EDIT:
            return tr("edit {0}").format(lines_text(step.added, step.removed))
        case FileAct.DELETE:
            return tr("deleted")
        case _:
            return tr("changed, lines unknown")


def title_text(step: FileStep) -> str:
    """Return the title of a step: the range of lines that was read, or the prompt or reply before a change."""
    if step.act is not FileAct.READ:
        return step.title or tr("Untitled change")
    if step.is_whole and step.lines is not None:
        return tr("Read whole, %Ln lines", None, step.lines)
    if step.read is None:
        return tr("Read, lines unknown")
    first, last = step.read
    return tr("Read lines {0}–{1}").format(number(first), number(last))


def check_text(check: CheckResult) -> str:
    """Return how a check ended: `38 passed`, `3 failed`, `checks passed`."""
    if check.failed:
        return tr("%Ln tests failed", None, check.failed)
    if check.passed:
        return verdict_words(check.passed, 0)
    return tr("check passed") if check.is_ok else tr("check failed")


def note_text(step: FileStep, branch: str) -> str:
    """Return the line under a step's title: time, branch, its change, and the check after it."""
    parts = [time_text(step.time), branch, act_text(step)]
    if step.check is not None and step.act.is_change:
        parts.append(check_text(step.check))
    if not step.fits:
        parts.append(tr("earlier changes unknown"))
    return " · ".join(part for part in parts if part)


def brief_notes(step: FileStep, branch: str) -> tuple[str, ...]:
    """Return shorter notes for a narrow column, the longest first: all of them say how the check ended."""
    if step.check is None or not step.act.is_change:
        return ()
    time, check = time_text(step.time), check_text(step.check)
    choices = ((time, branch, lines_text(step.added, step.removed), check), (time, branch, check), (time, check))
    return tuple(" · ".join(part for part in parts if part) for parts in choices)


def caption_text(step: FileStep, branch: str, place: int, count: int) -> str:
    """Return a step of the time line in words; `place` numbers the changes of the shown branch, 0 for other steps."""
    told = tr("change {0} of {1}").format(number(place), number(count)) if place else act_text(step)
    return " · ".join(part for part in (time_text(step.time), branch, told) if part)


def use_text(use: FileUse) -> str:
    """Return a file of the list for a screen reader."""
    parts = [name_of(use.path)]
    if use.is_changed:
        parts.append(tr("%Ln edits", None, use.edits))
        parts.append(lines_text(use.added, use.removed, more=use.removed_more))
    else:
        parts.append(tr("read %Ln times", None, use.reads))
    if not use.is_here:
        parts.append(tr("other branch only"))
    return ", ".join(parts)


def row_text(row: FileRow) -> str:
    """Return a row of a file for a screen reader."""
    if row.kind is RowKind.GAP:
        return gap_text(row)
    at = "" if row.number is None else number(row.number)
    kinds = {
        RowKind.ADDED: tr("added"),
        RowKind.REMOVED: tr("removed"),
        RowKind.OPEN: tr("unknown on the other side"),
    }
    parts = (at, kinds.get(row.kind, ""), row.text)
    return " ".join(part for part in parts if part)


def gap_text(row: FileRow) -> str:
    """Return the words that a file's page shows in place of lines that no tool call has read."""
    if row.lines is None:
        return tr("lines that were never read")
    return tr("%Ln lines that were never read", None, row.lines)


def origin_text(steps: Sequence[FileStep], state: FileState) -> str:
    """Return the sources of a file's text, and its uncertain parts."""
    reads = sum(step.act is FileAct.READ and step.read is not None for step in steps)
    changes = sum(step.act.is_change for step in steps)
    if not state.exists:
        return tr("The session deleted this file here.")
    if state.too_large:
        return tr("This file is too large to be shown.")
    read, changed = tr("%Ln reads", None, reads), tr("%Ln changes", None, changes)
    told = tr("From {0} and {1} of the session").format(read, changed)
    if not reads or not changes:
        told = tr("From {0} of the session").format(read if reads else changed)
    if state.doubtful:
        told = tr("{0}; uncertain, since it was also changed in a way that the session does not show").format(told)
    if state.gaps:
        return tr("{0}; {1}").format(told, tr("%Ln ranges never read are grey", None, state.gaps))
    return told
