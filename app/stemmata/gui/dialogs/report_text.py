"""An import's integrity report in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication

from stemmata.domain.sessions import ImportedSession, ImportReport
from stemmata.gui.models.sessions_words import source_name
from stemmata.gui.widgets.figures import counted

MOST_LINES = 20  # skipped lines told one by one; the rest as a number


def tr(text: str) -> str:
    return QCoreApplication.translate("ImportReport", text)


def headline(report: ImportReport) -> str:
    """One line: what came in, what was known already, what was left out."""
    new = sum(session.new_entries for session in report.sessions)
    sessions = counted(len(report.sessions), tr("session"), tr("sessions"))
    parts = [f"{sessions}, {counted(new, tr('new entry'), tr('new entries'))}"]
    if report.unchanged:
        parts.append(counted(report.unchanged, tr("unchanged file"), tr("unchanged files")))
    if report.skipped_files:
        parts.append(counted(len(report.skipped_files), tr("file left out"), tr("files left out")))
    text = " · ".join(parts)
    if report.cancelled:
        return tr("Cancelled. What was imported until then is kept whole: {0}.").format(text)
    return text + "."


def lines(report: ImportReport) -> Iterator[tuple[str, str]]:
    """(style, text) line by line; style is heading, plain, dim or warning."""
    for skipped in report.skipped_files:
        yield "heading", PurePath(skipped.path).name
        yield "warning", tr("Left out: {0}").format(skipped.reason)
    for session in report.sessions:
        yield from _session_lines(session)


def _session_lines(session: ImportedSession) -> Iterator[tuple[str, str]]:
    yield "heading", session.title or session.source_id
    facts = [
        source_name(session.source),
        counted(session.entries, tr("entry"), tr("entries")),
        tr("{0} new").format(f"{session.new_entries:,}"),
        counted(session.branches, tr("branch"), tr("branches")),
    ]
    yield "dim", " · ".join(facts)
    for repaired in session.repaired[:MOST_LINES]:
        yield "plain", tr("Mended: {0}").format(repaired.what)
    yield from _more(len(session.repaired))
    for skipped in session.skipped[:MOST_LINES]:
        yield "warning", tr("Line {0} could not be read and is kept raw: {1}").format(skipped.line, skipped.reason)
    yield from _more(len(session.skipped))


def _more(count: int) -> Iterator[tuple[str, str]]:
    if count > MOST_LINES:
        yield "dim", tr("… and {0} more").format(f"{count - MOST_LINES:,}")
