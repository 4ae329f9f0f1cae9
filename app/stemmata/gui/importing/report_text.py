"""The texts of an import's report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication

from stemmata.domain.sources.reading import UnusedPart
from stemmata.domain.sources.report import GoneSession, ImportedSession, ImportReport, SkippedFile
from stemmata.domain.text.phrases import Phrase
from stemmata.gui.sessions.words import source_name
from stemmata.gui.text.phrases import translate_phrase

MOST_LINES = 20  # skipped lines listed per session; further ones are counted
MOST_OF_SESSIONS = 2000  # lines about imported sessions in a report


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    """Translate a text of the import report."""
    return QCoreApplication.translate("ImportReport", text, comment, count)


def headline(report: ImportReport) -> str:
    """Summarise the report in one line: imported, unchanged and skipped files."""
    new = sum(session.new_entries for session in report.sessions)
    sessions, files = tr("%Ln sessions", None, len(report.sessions)), len(report.of_files())
    if files != len(report.sessions):  # the list of found files counts these
        sessions = tr("{0} from {1}").format(sessions, tr("%Ln files", None, files))
    parts = [f"{sessions}, {tr('%Ln new entries', None, new)}" if report.sessions else tr("Nothing new")]
    if report.unchanged:
        parts.append(tr("%Ln unchanged files", None, report.unchanged))
    if report.skipped_files:
        parts.append(tr("%Ln files not imported", None, len(report.skipped_files)))
    if removed := sum(session.removed for session in report.sessions):
        parts.append(tr("%Ln entries removed by their tool", None, removed))
    if report.gone:
        parts.append(tr("%Ln sessions deleted by their tool", None, len(report.gone)))
    damaged = sum(part.damaged for part in report.unused)
    if damaged:
        parts.append(tr("%Ln conversations not imported", None, damaged))
    text = " · ".join(parts)
    if report.cancelled:
        return tr("Cancelled. Completed imports are kept: {0}.").format(text)
    return text + "."


def lines(report: ImportReport) -> Iterator[tuple[str, str]]:
    """Yield (style, text) for each line: first the imported sessions. Style is heading, plain, dim or warning.

    Only the lines about sessions are cut when there are many, so that the files that were not imported are all named.
    """
    told = _imported_lines(report)
    yield from islice(told, MOST_OF_SESSIONS)
    if next(told, None) is not None:
        yield "plain", "…"
    yield from _gone_lines(report.gone)
    yield from _skipped_lines(report.skipped_files)
    yield from (("dim", translate_phrase(note)) for note in report.notes)


def _imported_lines(report: ImportReport) -> Iterator[tuple[str, str]]:
    for sessions in report.of_files():
        parts = [part for part in report.unused if part.path == sessions[0].path]
        is_alone = len(sessions) == 1 and not parts
        if not is_alone:
            yield "heading", PurePath(sessions[0].path).name
            facts = [source_name(sessions[0].source), tr("%Ln sessions", None, len(sessions))]
            yield "dim", " · ".join([*facts, *_figures(sessions)])
            yield from _part_lines(parts)
        for session in sessions:
            if is_alone or session.repaired or session.skipped or _is_changed(session):
                yield from _session_lines(session)


def _is_changed(session: ImportedSession) -> bool:
    """Return whether the tool removed entries of the session, or entries that it had removed are in its files
    again.
    """
    return session.reappeared or bool(session.removed or session.returned)


def _gone_lines(sessions: Sequence[GoneSession]) -> Iterator[tuple[str, str]]:
    """Yield the sessions that their tools deleted."""
    if sessions:
        yield "heading", tr("Deleted by their tool, safe here")
    for gone in sessions[:MOST_LINES]:
        yield "plain", f"{gone.title or gone.source_id} · {source_name(gone.source)}"
    yield from _more(len(sessions))


def _skipped_lines(files: Sequence[SkippedFile]) -> Iterator[tuple[str, str]]:
    """Yield the files that were not imported, each with all its reasons in one line that names it once.

    The names of further files with the same reason follow that line, since a reason may list all supported tools.
    """
    reasons: dict[str, list[str]] = {}
    for skipped in files:
        reasons.setdefault(skipped.path, []).append(_reason(skipped))
    if reasons:
        yield "heading", tr("Not imported")
    alike: dict[str, list[tuple[str, str]]] = {}  # names and reasons, by the reason without the name
    for path, found in reasons.items():
        name, text = PurePath(path).name, " ".join(dict.fromkeys(found))
        alike.setdefault(text.replace(name, "\0"), []).append((name, text))
    for (name, text), *others in alike.values():
        yield "warning", text if name in text else f"{name}: {text}"
        if others:
            names = [other for other, _text in others]
            yield "warning", tr("For the same reason: {0}").format(", ".join(names[:MOST_LINES]))
            yield from _more(len(names))


def _reason(skipped: SkippedFile) -> str:
    """Return why a file was not imported, with its name in place of its path."""
    name, reason = PurePath(skipped.path).name, skipped.reason
    if isinstance(reason, Phrase):
        return translate_phrase(reason.with_values(lambda value: value.replace(skipped.path, name)))
    return reason.replace(skipped.path, name)


def _part_lines(parts: Sequence[UnusedPart]) -> Iterator[tuple[str, str]]:
    """Yield the parts of a file that became no session, the damaged ones first."""
    for part in sorted(parts, key=lambda part: not part.damaged)[:MOST_LINES]:
        if part.damaged:
            yield "warning", tr("{0}: not imported ({1}).").format(part.where, translate_phrase(part.reason))
        else:
            yield "dim", tr("{0}: no session ({1}).").format(part.where, translate_phrase(part.reason))
    yield from _more(len(parts))


def _figures(sessions: Sequence[ImportedSession]) -> list[str]:
    return [
        tr("%Ln entries", None, sum(session.entries for session in sessions)),
        tr("%Ln new entries", None, sum(session.new_entries for session in sessions)),
        tr("%Ln branches", None, sum(session.branches for session in sessions)),
    ]


def _session_lines(session: ImportedSession) -> Iterator[tuple[str, str]]:
    yield "heading", session.title or session.source_id
    yield "dim", " · ".join([source_name(session.source), *_figures([session])])
    if session.removed:
        yield "plain", tr("%Ln entries were removed by the tool. They are kept as a branch.", None, session.removed)
    if session.returned:
        yield "plain", tr("%Ln entries that the tool had removed are in its files again.", None, session.returned)
    if session.reappeared:
        yield "plain", tr("The tool had deleted this session, and has it again.")
    for repaired in session.repaired[:MOST_LINES]:
        yield "plain", tr("Repaired: {0}").format(repaired.what)
    yield from _more(len(session.repaired))
    for skipped in session.skipped[:MOST_LINES]:
        if skipped.line:
            told = tr("Line {0} could not be read ({1}). Its bytes are kept.").format(skipped.line, skipped.reason)
        else:
            told = tr("A part could not be read ({0}). Its bytes are kept.").format(skipped.reason)
        yield "warning", told
    yield from _more(len(session.skipped))


def _more(count: int) -> Iterator[tuple[str, str]]:
    if count > MOST_LINES:
        yield "dim", tr("… and %Ln more", None, count - MOST_LINES)
