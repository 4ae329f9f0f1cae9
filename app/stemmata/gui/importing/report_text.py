"""An import's integrity report in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication

from stemmata.domain.entries.session_facts import ImportedSession, ImportReport
from stemmata.gui.sessions.words import source_name

MOST_LINES = 20  # skipped lines told one by one; the rest as a number


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    return QCoreApplication.translate("ImportReport", text, comment, count)


def headline(report: ImportReport) -> str:
    """One line: what came in, what was known already, what was left out."""
    new = sum(session.new_entries for session in report.sessions)
    sessions = tr("%Ln sessions", None, len(report.sessions))
    parts = [f"{sessions}, {tr('%Ln new entries', None, new)}"]
    if report.unchanged:
        parts.append(tr("%Ln unchanged files", None, report.unchanged))
    if report.skipped_files:
        parts.append(tr("%Ln files left out", None, len(report.skipped_files)))
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
        tr("%Ln entries", None, session.entries),
        tr("%Ln new", None, session.new_entries),
        tr("%Ln branches", None, session.branches),
    ]
    yield "dim", " · ".join(facts)
    for repaired in session.repaired[:MOST_LINES]:
        yield "plain", tr("Mended: {0}").format(repaired.what)
    yield from _more(len(session.repaired))
    for skipped in session.skipped[:MOST_LINES]:
        yield "warning", tr("Line {0} could not be read ({1}) and is kept raw.").format(skipped.line, skipped.reason)
    yield from _more(len(session.skipped))


def _more(count: int) -> Iterator[tuple[str, str]]:
    if count > MOST_LINES:
        yield "dim", tr("… and %Ln more", None, count - MOST_LINES)
