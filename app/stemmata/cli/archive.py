"""Commands for the archive as a whole: import, sessions, search, export, status, check."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import click

from stemmata.cli import output, words
from stemmata.cli.command_context import (
    EXIT_DONE,
    EXIT_PARTIAL,
    CommandContext,
    CommandSubject,
    GlobalCommand,
    pass_cli,
)
from stemmata.cli.output import data
from stemmata.domain.chat.conversations import KINDS, conversation_kind
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.entries.figures import abbreviated_count
from stemmata.domain.errors import KnownError
from stemmata.domain.search.hits import Hit, SearchPage, UnreadHit
from stemmata.domain.search.query import SCOPES, Filters, Query, parse
from stemmata.domain.sessions.details import conversation_key
from stemmata.domain.sessions.lineage import Lineage
from stemmata.domain.sessions.origin import SourceState
from stemmata.domain.sessions.session import Session
from stemmata.domain.sessions.titles import name_of, title_for_list
from stemmata.domain.settings.settings import CompactionSettings, FollowingNotice
from stemmata.domain.sources.export import LeftOut
from stemmata.domain.sources.report import GoneSession, ImportedSession, ImportReport, SkippedFile
from stemmata.domain.sources.session_files import Discovered, EndangeredFiles
from stemmata.services.chat.compaction_notices import settings_told
from stemmata.services.context.contexts import SessionFacts, UsageTotals
from stemmata.services.sessions.exporting import ExportPart

if TYPE_CHECKING:
    from stemmata.services.services import Services

Came = FollowingNotice | ImportReport


def follow(cli: CommandContext, paths: Sequence[Path], document: Callable[[ImportedSession], dict[str, Any]]) -> int:
    """Import new sessions from folders until Ctrl+C, and print each imported session.

    Follows `paths`, else the folders of the settings, else the folders discovered on this machine. With --json,
    prints `document` of each session on one line.
    """
    folders = _folders(cli, paths)
    came: SimpleQueue[Came] = SimpleQueue()
    following = cli.services.following
    following.subscribe(came.put, came.put)
    following.follow(folders)
    for folder in folders:
        cli.note(f"Following {folder}. Press Ctrl+C to stop.")
    try:
        while True:
            _show(cli, came.get(), document)
    except KeyboardInterrupt:
        return 0


def _folders(cli: CommandContext, paths: Sequence[Path]) -> list[str]:
    for path in paths:
        if path.is_file():
            raise KnownError(f"{path} is a file. Only folders can be followed: name the folder that contains it.")
    if paths:
        return list(dict.fromkeys(str(path.absolute()) for path in paths))
    followed = list(cli.services.followed)
    if not followed:
        found = cli.wait(cli.services.importing.discover())
        followed = list(dict.fromkeys(one.folder for one in found if not one.is_of_project))
    if not followed:
        raise KnownError("No sessions of a supported tool were found. Name the folders to follow.")
    return followed


def _show(cli: CommandContext, came: Came, document: Callable[[ImportedSession], dict[str, Any]]) -> None:
    if isinstance(came, FollowingNotice):
        cli.note(came.text)
        return
    for gone in came.gone:
        cli.note(f"{gone.id}  {gone.title or 'untitled'}: {GONE}")
    for session in came.sessions:
        if session.removed:
            entries = words.plural(session.removed, *ENTRIES)
            cli.note(f"{session.id}  {session.title or 'untitled'}: {entries} removed by the tool, kept here")
        if session.new_entries and cli.as_json:
            output.document(document(session), one_line=True)
        elif session.new_entries:
            title = session.title or "untitled"
            output.out(
                f"{session.id}  {title}: {session.new_entries} new of {words.plural(session.entries, *ENTRIES)}"
            )


ENTRIES = "entry", "entries"
GONE = "deleted by its tool, safe here"
STDOUT = Path("-")  # the value of --output for stdout
ROLE_NAMES = (  # a role, or the kind of an entry without a role
    *(role.text for role in Role if role.text),
    *(kind.text for kind in Kind if kind is not Kind.MESSAGE),
)
SORTED = 1000  # hits that are found before the newest of them are chosen
MARKS = str.maketrans({"\ue000": "", "\ue001": ""})  # marks around the matches in a snippet


@click.command("import", cls=GlobalCommand)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--format", "format_", default="", metavar="NAME", help="Read the files as this format instead of detecting it."
)
@click.option(
    "--follow",
    "follows",
    is_flag=True,
    help="Keep importing what tools add to these folders, and print it, until Ctrl+C.",
)
@pass_cli
def import_(cli: CommandContext, paths: tuple[Path, ...], format_: str, follows: bool) -> int:
    """Import session files or folders.

    Without PATHS, list the sessions found on this machine. Importing again adds only new entries. The files are only
    read.
    """
    if follows:
        if format_:
            raise click.UsageError("--follow detects formats itself: leave out --format.")
        return follow(cli, paths, _imported)
    if not paths:
        return _discover(cli)
    importing = cli.services.importing
    if format_ and format_ not in importing.names:
        raise click.UsageError(f"Unknown format: {format_}. Supported: {', '.join(importing.names)}.")
    report = cli.wait(importing.import_paths([path.absolute() for path in paths], format=format_))
    has_failed = not report.sessions and not report.unchanged and bool(report.skipped_files)
    cli.answer(lambda: _report(report), lambda: _report_lines(report, has_failed=has_failed))
    if has_failed:
        raise KnownError("\n".join(map(_skipped_line, report.skipped_files)))
    return EXIT_DONE if report.complete else EXIT_PARTIAL


def _discover(cli: CommandContext) -> int:
    found = cli.wait(cli.services.importing.discover())
    endangered = cli.wait(cli.services.clean_ups.endangered())
    cli.answer(
        lambda: {
            "found": [
                {"source": f.source, "folder": f.folder, "files": len(f.files), "bytes": f.size} for f in found
            ],
            "endangered": [_endangered(one) for one in endangered],
        },
        lambda: _discovered_lines(found, endangered),
    )
    return 0


def _discovered_lines(found: Sequence[Discovered], endangered: Sequence[EndangeredFiles]) -> Iterator[str]:
    if not found:
        yield "No sessions of a supported tool were found. Name files or folders to import."
    yield from words.table(
        [(f.name, f.folder, words.plural(len(f.files), "file", "files"), words.size(f.size)) for f in found]
    )
    yield from map(words.endangered, endangered)


def _endangered(one: EndangeredFiles) -> dict[str, Any]:
    return {
        "source": one.source,
        "days": one.days,
        "folder": one.folder,
        "first": words.iso(one.first),
        "files": list(one.files),
    }


def _report(report: ImportReport) -> dict[str, Any]:
    return {
        "sessions": [_imported(session) for session in report.sessions],
        "skipped_files": [{"path": file.path, "reason": file.reason} for file in report.skipped_files],
        "unused_parts": [
            {"path": part.path, "part": part.where, "reason": part.reason, "damaged": part.damaged}
            for part in report.unused
        ],
        "notes": [str(note) for note in report.notes],
        "unchanged": report.unchanged,
        "deleted_by_tool": [_gone(session) for session in report.gone],
    }


def _gone(session: GoneSession) -> dict[str, Any]:
    return {name: getattr(session, name) for name in ("id", "source", "source_id", "title", "path")}


def _imported(session: ImportedSession) -> dict[str, Any]:
    return {
        "id": session.id,
        "source": session.source,
        "source_id": session.source_id,
        "title": session.title,
        "entries": session.entries,
        "new_entries": session.new_entries,
        "variants": list(session.variants),
        "older": session.older,
        "removed": session.removed,
        "returned": session.returned,
        "reappeared": session.reappeared,
        "branches": session.branches,
        "skipped": [{"line": line.line, "reason": line.reason} for line in session.skipped],
        "repaired": [{"what": repair.what, "entry": repair.entry} for repair in session.repaired],
    }


def _report_lines(report: ImportReport, *, has_failed: bool) -> Iterator[str]:
    """Yield what was imported; also what was not, unless all of the import failed: an error says that on stderr."""
    for sessions in report.of_files():
        parts = [part for part in report.unused if part.path == sessions[0].path]
        is_alone = len(sessions) == 1 and not parts
        if not is_alone:
            new, entries = sum(one.new_entries for one in sessions), sum(one.entries for one in sessions)
            branches = words.plural(sum(one.branches for one in sessions), "branch", "branches")
            several = words.plural(len(sessions), "session", "sessions")
            yield f"{sessions[0].path}: {several}, {new} new of {words.plural(entries, *ENTRIES)}, {branches}"
        for session in sessions:
            yield from _session_lines(session, alone=is_alone)
        yield from (
            f"  {part.where}: {'not imported' if part.damaged else 'no session'}: {part.reason}" for part in parts
        )
    yield from (f"{gone.id}  {gone.title or 'untitled'}: {GONE}" for gone in report.gone)
    if not has_failed:
        yield from map(_skipped_line, report.skipped_files)
    yield from map(str, report.notes)
    if report.unchanged:
        yield f"{words.plural(report.unchanged, 'file', 'files')} unchanged since the last import."


def _skipped_line(file: SkippedFile) -> str:
    """Return why a file was not imported. Most reasons name it; a long path is not said twice."""
    reason = str(file.reason)
    return f"Not imported: {reason}" if file.path in reason else f"{file.path}: not imported. {reason}"


def _session_lines(session: ImportedSession, *, alone: bool) -> Iterator[str]:
    """Yield the report lines of an imported session; one of many in a file is listed only when it has problems."""
    if alone or session.skipped or session.repaired or session.removed or session.returned or session.reappeared:
        title = session.title or "untitled"
        entries = words.plural(session.entries, *ENTRIES)
        branches = words.plural(session.branches, "branch", "branches")
        yield f"{session.id}  {title}: {session.new_entries} new of {entries}, {branches}"
    if session.removed:
        yield f"  {words.plural(session.removed, *ENTRIES)} removed by the tool, kept here"
    if session.returned:
        yield f"  {words.plural(session.returned, *ENTRIES)} that the tool had removed are in its files again"
    if session.reappeared:
        yield "  had been deleted by the tool, and is in its files again"
    for part in session.skipped:
        yield f"  line {part.line} skipped: {part.reason}" if part.line else f"  skipped: {part.reason}"
    yield from (f"  repaired: {repair.what}" for repair in session.repaired)


@click.command(cls=GlobalCommand)
@click.option("--cwd", default="", metavar="FOLDER", help="List only sessions of this folder.")
@click.option("--source", default="", metavar="TOOL", help="List only sessions of this tool.")
@click.option("--key", default="", help="List only sessions whose conversation's key contains this.")
@click.option("--kind", type=click.Choice(KINDS), default=None, help="List only conversations of this kind.")
@click.option("--limit", type=click.IntRange(1), default=None, help="Maximum number of sessions.")
@pass_cli
def sessions(cli: CommandContext, cwd: str, source: str, key: str, kind: str | None, limit: int | None) -> None:
    """List sessions, newest first."""
    folders = {cwd, os.path.abspath(os.path.expanduser(cwd))}  # a session may name a folder of another system
    every = cli.wait(cli.services.sessions.all())
    lineage = Lineage([*every, *cli.wait(cli.services.sessions.all(trashed=True))])
    listed = [
        session
        for session in every
        if (not cwd or session.cwd in folders)
        and (not source or session.source == source)
        and key.casefold() in conversation_key(session.details).casefold()
        and kind in (None, conversation_kind(session.details))
    ][:limit]
    if not listed:
        empty = f"The archive {cli.services.place} has no sessions. Import some: stemmata import PATH"
        cli.note("No session matches." if every else empty)
    ids = _leaf_ids(cli, listed)
    gone = _deleted(cli, listed)
    cli.answer(
        lambda: {
            "sessions": [
                _session(cli, session, ids)
                | _lineage_document(lineage, session)
                | {"deleted_by_tool": session.key in gone}
                for session in listed
            ]
        },
        lambda: words.table(
            [
                (
                    session.id,
                    session.source,
                    words.day(session.updated_at),
                    str(session.entries),
                    (title_for_list(name_of(session), session.details) or "untitled")
                    + (f" ({GONE})" if session.key in gone else ""),
                )
                for session in listed
            ],
            frozenset({3}),
        ),
    )


def _deleted(cli: CommandContext, sessions: list[Session]) -> set[int]:
    """Return the keys of the sessions that their tools have deleted."""
    states = cli.wait(cli.services.source_files.states(sessions))
    return {key for key, state in states.items() if state is SourceState.DELETED}


def _leaf_ids(cli: CommandContext, sessions: list[Session]) -> dict[int, str]:
    leaves = [session.leaf for session in sessions if session.leaf is not None]
    return {key: row.id for key, row in cli.wait(cli.services.entries.rows(leaves)).items()}


def _lineage_document(lineage: Lineage, session: Session) -> dict[str, Any]:
    """Return the sessions that a session came from or goes on in, by their ids, and its state, as JSON values."""
    named = {
        "parent": lineage.before(session),
        "continues": lineage.continues(session),
        "continued_as": lineage.continued_as(session),
        "reset_of": lineage.reset_of(session),
        "reset_as": lineage.reset_as(session),
    }
    return {name: None if found is None else found.id for name, found in named.items()} | {"state": session.state}


def _session(cli: CommandContext, session: Session, ids: dict[int, str]) -> dict[str, Any]:
    return {
        "id": session.id,
        "source": session.source,
        "source_id": session.source_id,
        "title": session.title,
        "cwd": session.cwd,
        "entries": session.entries,
        "branches": session.branches,
        "created_at": words.iso(session.created_at),
        "updated_at": words.iso(session.updated_at),
        "leaf": None if session.leaf is None else ids.get(session.leaf),
        "context_tokens": {"value": session.context_tokens, "kind": session.context_kind},
        "window": cli.services.contexts.window(session.model),
        "compactions": session.compactions,
        "model": session.model,
        "starred": session.starred,
        "conversation": _conversation(session),
    }


def _conversation(session: Session) -> dict[str, Any] | None:
    """Return the key and kind of the session's conversation; None for an ordinary chat."""
    key, kind = conversation_key(session.details), conversation_kind(session.details)
    return {"key": key, "kind": kind} if key else None


@click.command(cls=GlobalCommand)
@click.argument("query")
@click.option("--session", "name", default=None, metavar="SESSION", help="Search only this session.")
@click.option(
    "--role", default="", metavar="ROLE", help="Search only this role: user, assistant, toolResult, compaction, …"
)
@click.option("--tool", default="", metavar="TOOL", help="Search only results of this tool.")
@click.option(
    "--scope", type=click.Choice(SCOPES), default="all", help="Search the active path, other branches, or both."
)
@click.option("--limit", type=click.IntRange(1, 1000), default=50, help="Maximum number of hits.")
@click.option("--meaning", is_flag=True, help="Also find prompts, summaries and titles of similar meaning.")
@pass_cli
def search(
    cli: CommandContext, query: str, name: str | None, role: str, tool: str, scope: str, limit: int, *, meaning: bool
) -> None:
    """Search the text of all sessions, newest hits first.

    Entries must contain every word of QUERY; "quoted words" must occur as a phrase. Filters are words, too:
    role:user tool:bash model:opus file:main.py project:name source:codex after:2026-09 before:7d is:starred
    in:abandoned has:image cost>0.50. With --meaning, which
    `search.meaning` in the settings turns on, the best hits come first; new texts are prepared before the search.
    """
    if role and role not in ROLE_NAMES:
        raise click.UsageError(f"Unknown role “{role}”. Available: {', '.join(ROLE_NAMES)}.")
    if meaning and (role or tool or scope != "all"):
        raise click.UsageError("--meaning cannot be combined with --role, --tool or --scope.")
    services, key = cli.services, None
    if name is not None:
        subject = cli.subject(name)
        services, key = subject.services, subject.session.key
    if meaning:
        page = _hits_by_meaning(cli, services, query, key, limit)
    else:
        asked = parse(query, datetime.now())
        if asked.filters == Filters():
            find = services.searching.search
            page = cli.wait(find(query, session=key, role=role, tool=tool, scope=scope, limit=limit))
        else:
            page = _filtered(cli, services, _with_options(asked, role, tool, scope), key, limit)
    names = {session.key: session.id for session in cli.wait(services.sessions.all())}
    cli.answer(
        lambda: {"total": page.total, "more": page.more, "hits": [_hit(hit, names) for hit in page.hits]},
        lambda: (
            words.table([(names.get(h.session, "?"), h.id, h.role.text or h.kind.text, _plain(h)) for h in page.hits])
            if page.hits
            else ["No matches."]
        ),
    )


def _hits_by_meaning(
    cli: CommandContext, services: Services, query: str, session: int | None, limit: int
) -> SearchPage:
    """Embed the texts that have no vector yet, then return the best hits of a search by meaning."""
    if prepared := cli.wait(services.meaning.update()):
        cli.note(f"{prepared} texts were prepared for the search by meaning.")
    return cli.wait(services.meaning.search(query, session=session, limit=limit))


def _with_options(query: Query, role: str, tool: str, scope: str) -> Query:
    """Return the query with the filters of the command's options added."""
    filters = query.filters
    return replace(
        query,
        filters=replace(
            filters,
            roles=(role,) if role else filters.roles,
            tools=(tool,) if tool else filters.tools,
            scope=scope if scope != "all" else filters.scope,
        ),
    )


def _filtered(cli: CommandContext, services: Services, query: Query, session: int | None, limit: int) -> SearchPage:
    """Return the newest of the SORTED hits of a query with filters that were written last."""
    searching, found, rest = services.searching, dict[int, UnreadHit](), None
    while True:
        results = cli.wait(searching.find(query, session=session, below=rest))
        found |= {hit.entry: hit for hit in results.hits}
        rest = results.rest
        if rest is None or len(found) >= max(limit, SORTED):
            break
    newest = sorted(found.values(), key=lambda hit: (-hit.time, -hit.entry))[:limit]
    hits = cli.wait(searching.hits(query, [hit.entry for hit in newest], lambda: False))
    return SearchPage(len(found), hits, rest is not None)


def _plain(hit: Hit) -> str:
    return " ".join(hit.snippet.translate(MARKS).split())


def _hit(hit: Hit, names: dict[int, str]) -> dict[str, Any]:
    return {
        "session": names.get(hit.session),
        "entry": hit.id,
        "role": hit.role.text or hit.kind.text,
        "time": words.iso(hit.time),
        "snippet": hit.snippet.translate(MARKS),
    }


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.option(
    "--format", "format_", required=True, metavar="NAME", help="Format of the file: pi, html, markdown or json."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=None,
    help="File to write; - means stdout, the default. Its folder must exist.",
)
@click.option("--at", "entry", default=None, metavar="ENTRY", help="Export only the path up to this entry.")
@click.option("--whole", is_flag=True, help="Export all branches to Markdown, which otherwise has the active one.")
@pass_cli
def export(
    cli: CommandContext, session: str, format_: str, output: Path | None, entry: str | None, whole: bool
) -> None:
    """Export a session to pi, HTML, Markdown or JSON.

    pi, HTML and JSON contain all branches, Markdown contains the active one. An unchanged pi session is exported byte
    for byte. stderr says what the format leaves out, before anything is written. A file is written completely or not
    at all; an existing one is replaced.
    """
    if entry is not None and whole:
        raise click.UsageError("--at exports one path and --whole all branches: use one of them.")
    subject = cli.subject(session)
    exporting, key = subject.services.exporting, subject.session.key
    if format_ not in exporting.names:
        raise click.UsageError(f"Unknown export format: {format_}. Supported: {', '.join(exporting.names)}.")
    part = ExportPart(None if entry is None else cli.wait(subject.services.entries.key(key, entry)), whole)
    lost = cli.wait(exporting.left_out(key, part)).get(format_, LeftOut())
    for sentence in words.left_out(format_, lost):
        cli.note(sentence)
    if output is None or output == STDOUT:
        data(cli.wait(exporting.to_bytes(key, format_, part)))
        return
    size = cli.wait(exporting.to_file(key, format_, output.absolute(), part))
    cli.answer(lambda: {"path": str(output), "bytes": size}, lambda: [f"{output}: {size} bytes written."])


@click.command(cls=GlobalCommand)
@click.argument("session", required=False)
@pass_cli
def status(cli: CommandContext, session: str | None) -> None:
    """Show the status of the archive, or of a session.

    Of the archive: its size, the connections and the settings of compaction. Of a session: tokens, context window,
    compactions and cost.
    """
    if session is not None:
        _session_status(cli, cli.subject(session))
        return
    totals, settings = cli.wait(cli.services.sessions.totals()), cli.services.contexts.settings
    endangered = cli.wait(cli.services.clean_ups.endangered())
    connected, problem = _connected(cli)
    lines = [
        f"{facts['name']}: {facts['model'] or 'no model'} at {facts['base_url']} (key: {facts['key'] or 'none'})"
        for facts in connected
    ]
    cli.answer(
        lambda: {
            "archive": dict(totals),
            "path": cli.services.place,
            "model": next((facts["model"] or None for facts in connected), None),
            "connections": connected,
            "keyring_problem": problem or None,
            "compaction": _compaction(settings),
            "endangered": [_endangered(one) for one in endangered],
        },
        lambda: [
            f"Archive: {words.plural(totals['sessions'], 'session', 'sessions')}, "
            f"{words.plural(totals['entries'], *ENTRIES)}, "
            f"{words.size(totals['bytes'])}",
            f"File: {cli.services.place}",
            *(lines or ["No model is connected. Browsing, forking and digest compaction work without a model."]),
            *([problem] if problem else []),
            *settings_told(settings),
            *map(words.endangered, endangered),
        ],
    )


def _compaction(settings: CompactionSettings) -> dict[str, Any]:
    """Return the settings of compaction and pruning, by their names in the settings file."""
    shown = (
        "threshold_percent", "reserve_tokens", "keep_recent_tokens", "keep_recent_messages", "tool_prune_threshold",
        "tool_keep_threshold", "tool_policy", "notify", "resume_token_budget",
    )  # fmt: skip
    return {name: getattr(settings, name) for name in shown}


def _connected(cli: CommandContext) -> tuple[list[dict[str, Any]], str]:
    """Return the connections with the places of their keys, and why the keyring cannot keep keys ("" if it can)."""
    connecting = cli.services.connecting
    listed = []
    for connection in cli.wait(connecting.connections()):
        origin = cli.wait(connecting.origin(connection.name))
        listed.append(
            {
                "name": connection.name,
                "api": connection.api,
                "base_url": connection.base_url,
                "model": connection.model,
                "key": origin.value if origin else None,
            }
        )
    return listed, cli.wait(connecting.problem()) if listed else ""


def _lineage(cli: CommandContext, services: Services) -> Lineage:
    """Return how all sessions follow from each other, those in the trash too."""
    return Lineage([*cli.wait(services.sessions.all()), *cli.wait(services.sessions.all(trashed=True))])


RELATIONS = (
    ("parent", "Comes from"), ("continues", "Continues"), ("continued_as", "Continued as"),
    ("reset_of", "After the reset of"), ("reset_as", "Reset, continued as"),
)  # fmt: skip


def _session_status(cli: CommandContext, subject: CommandSubject) -> None:
    session = subject.session
    facts = cli.wait(subject.services.facts(session.key))
    view, settings = facts.view, subject.services.contexts.settings
    place = _lineage_document(_lineage(cli, subject.services), session)
    breakdown = view.breakdown
    is_gone = bool(_deleted(cli, [session]))
    document = {
        "session": session.id,
        "title": session.title,
        "source": session.source,
        "entries": session.entries,
        "branches": session.branches,
        "compactions": session.compactions,
        "model": view.projection.model or None,
        "thinking_level": view.projection.level,
        "context_tokens": {"value": breakdown.total.value, "kind": breakdown.total.kind.text},
        "window": breakdown.window,
        "compacts_above": view.budget.trigger,
        "auto_compaction": facts.is_automatic,
        "compaction": _compaction(settings),
        **_used(facts.path),
        "active_path": _used(facts.path),
        "whole_session": _used(facts.whole),
        "cost": session.cost / 1e6,
        **place,
        "deleted_by_tool": is_gone,
        "conversation": _conversation(session),
    }
    rows = _status_rows(session, facts, place, settings, is_gone=is_gone)
    cli.answer(lambda: document, lambda: words.table(rows))


def _status_rows(
    session: Session, facts: SessionFacts, place: dict[str, Any], settings: CompactionSettings, *, is_gone: bool
) -> list[tuple[str, ...]]:
    """Return the lines of a session's status, each with its name."""
    view, breakdown = facts.view, facts.view.breakdown
    window = abbreviated_count(breakdown.window) if breakdown.window else "unknown window"
    above = "never (unknown window)" if view.budget.trigger is None else abbreviated_count(view.budget.trigger)
    return [
        ("Session", f"{session.id}  {session.title}"),
        *((name, place[key]) for key, name in RELATIONS if place[key]),
        ("State", session.state),
        *([("Source", GONE)] if is_gone else []),
        ("Entries", f"{session.entries} in {words.plural(session.branches, 'branch', 'branches')}"),
        ("Model", view.projection.model or "—"),
        ("Context", f"{words.tokens(breakdown.total)} of {window}"),
        ("Compactions", str(session.compactions)),
        ("Compacts above", above),
        ("Automatic compaction", words.automatic(session.details, is_on=facts.is_automatic)),
        *(tuple(line.split(": ", 1)) for line in settings_told(settings)),
        ("Active path", _used_words(facts.path)),
        ("Whole session", _used_words(facts.whole)),
        ("Cost", f"${session.cost / 1e6:.2f}" if session.cost else "—"),
        ("Conversation", conversation_key(session.details) or "—"),
    ]


def _used(used: UsageTotals) -> dict[str, Any]:
    hits = used.cache_hits
    return {
        "sent_tokens": used.sent,
        "output_tokens": used.output,
        "cache_hit_rate": None if hits is None else round(hits, 4),
        "cost": used.cost / 1e6,
    }


def _used_words(used: UsageTotals) -> str:
    hits = "" if used.cache_hits is None else f", {round(100 * used.cache_hits)} % of the sent tokens from the cache"
    cost = f", ${used.cost / 1e6:.2f}" if used.cost else ""
    return f"{abbreviated_count(used.sent)} tokens sent, {abbreviated_count(used.output)} received{hits}{cost}"


@click.command(cls=GlobalCommand)
@click.option("--repair", is_flag=True, help="Repair the archive where possible, then check it. Nothing is deleted.")
@pass_cli
def check(cli: CommandContext, repair: bool) -> int:
    """Check the integrity of the archive.

    Prints each problem; the exit code is 1 when there is one.
    """
    repaired = cli.wait(cli.services.sessions.repair()) if repair else []
    if repair:
        found = cli.wait(cli.services.importing.find_lost())
        repaired += [
            f"session {session.id}: lost records were read again from its file" for session in found.sessions
        ]
    for line in repaired:
        cli.note(f"Repaired: {line}.")
    problems = cli.wait(cli.services.sessions.check())
    cli.answer(
        lambda: {"ok": not problems, "problems": problems, "repaired": repaired},
        lambda: problems or ["The archive has no problems."],
    )
    return 1 if problems else 0


COMMANDS = (import_, sessions, search, export, status, check)
