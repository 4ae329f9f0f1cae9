"""Codex rollouts for tests: writing them record by record, and what of a file makes no entry."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import zstandard

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import ReadEvent, Skipped
from stemmata.formats.codex.compressed import open_rollout
from stemmata.formats.codex.reader import Codex
from stemmata.formats.codex.records import RecordRole, kind_of, normalised, part_of
from stemmata.formats.shared.lines import Line, SourceLines
from stemmata.formats.shared.values import BadLineError, parse_object
from tests.fakes.claude_code import Found, collect

Record = dict[str, Any]
THREAD = "0a000000-0000-7000-8000-000000000001"
OTHER = "0a000000-0000-7000-8000-000000000002"
ENTRIES = (RecordRole.ITEM, RecordRole.COMPACTION, RecordRole.NOTE, RecordRole.UNKNOWN)


def only(path: Path, since: Any = None) -> Found:
    """The one session of a file."""
    (found,) = collect(Codex().read(path, since))
    return found


def stamp(second: float) -> str:
    """A time of day as Codex writes it."""
    whole = int(second)
    return f"2026-01-01T10:{whole // 60:02d}:{whole % 60:02d}.{round(second % 1 * 1000):03d}Z"


def rollout(records: Iterable[Record], start: float = 0, ordinal: int | None = None) -> bytes:
    """A file of these records, one each second; with an ordinal each gets the next one."""
    out = []
    for at, record in enumerate(records):
        counted = {} if ordinal is None else {"ordinal": ordinal + at}
        out.append(json.dumps({"timestamp": stamp(start + at), **counted, **record}, separators=(",", ":")))
    return "".join(f"{line}\n" for line in out).encode()


def write(path: Path, *records: Record, start: float = 0, ordinal: int | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(rollout(records, start, ordinal))
    return path


def name(thread: str, second: int = 0, revision: str = "") -> str:
    """The name of a thread's file."""
    return f"rollout-2026-01-01T10-{second // 60:02d}-{second % 60:02d}-{thread}{revision and '_'}{revision}.jsonl"


def meta(thread: str = THREAD, **more: Any) -> Record:
    facts = {"id": thread, "timestamp": stamp(0), "cwd": "/w", "originator": "codex_cli", "cli_version": "0.1"}
    return {"type": "session_meta", "payload": {**facts, "source": "cli", "model_provider": "openai", **more}}


def event(kind: str, **more: Any) -> Record:
    return {"type": "event_msg", "payload": {"type": kind, **more}}


def item(kind: str, **more: Any) -> Record:
    return {"type": "response_item", "payload": {"type": kind, **more}}


def started(turn: str) -> Record:
    return event("task_started", turn_id=turn, model_context_window=1000)


def settings(turn: str, model: str = "gpt", effort: str = "high") -> Record:
    payload = {"turn_id": turn, "cwd": "/w", "model": model, "effort": effort}
    return {"type": "turn_context", "payload": payload}


def said(role: str, text: str, **more: Any) -> Record:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text}], **more)


def tokens(total: int, **last: int) -> Record:
    info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": last, "model_context_window": 1000}
    return event("token_count", info=info)


def ended(turn: str) -> Record:
    return event("task_complete", turn_id=turn, last_agent_message="", duration_ms=5)


def turn(number: int, prompt: str, answer: str, *between: Record) -> list[Record]:
    """A turn as Codex writes it: each message twice, the model's settings, the tokens."""
    id = f"turn-{number}"
    return [
        started(id), settings(id), said("user", prompt), event("user_message", message=prompt, images=[]), *between,
        event("agent_message", message=answer), said("assistant", answer),
        tokens(number * 110, input_tokens=100, cached_input_tokens=60, output_tokens=10, total_tokens=110),
        ended(id),
    ]  # fmt: skip


def tool_turn() -> list[Record]:
    """Return the lines between a prompt and its answer: reasoning, a command and a patch with their ends."""
    return [
        event("agent_reasoning", text="Look first."),
        item("reasoning", summary=[{"type": "summary_text", "text": "Look first."}], encrypted_content="AAAA"),
        item("function_call", name="exec_command", arguments='{"cmd":"ls"}', call_id="c1"),
        event("exec_command_end", call_id="c1", exit_code=1, duration={"secs": 1, "nanos": 5_000_000}),
        item("function_call_output", call_id="c1", output="no such file"),
        item("custom_tool_call", name="apply_patch", input="*** Begin Patch\n*** Add File: a\n+x", call_id="c2"),
        item("custom_tool_call_output", call_id="c2", output=[{"type": "output_text", "text": "Done!"}]),
        item("web_search_call", id="w1", status="completed", action={"type": "search", "query": "tea"}),
        event("web_search_end", call_id="w1", query="tea"),
    ]


def compacted(summary: str, *kept: str) -> Record:
    history = [said("user", text)["payload"] for text in (*kept, summary)]
    return {"type": "compacted", "payload": {"message": summary, "replacement_history": history}}


def plain() -> list[Record]:
    """A session with instructions, tools, an abandoned turn and a compaction."""
    return [
        meta(git={"branch": "main", "commit_hash": "abc"}),
        said("developer", "<permissions instructions>All."),
        said("user", "<environment_context><cwd>/w</cwd></environment_context>"),
        *turn(1, "Look around.", "Nothing here.", *tool_turn()),
        *turn(2, "Wrong way.", "Sorry."),
        event("thread_rolled_back", num_turns=1),
        *turn(3, "Right way.", "Done."),
        compacted("So far: nothing.", "Look around.", "Right way."),
        event("context_compacted"),
        {"type": "world_state", "payload": {"full": True}},
        *turn(4, "And now?", "Tea."),
        event("turn_aborted", reason="interrupted", turn_id="turn-4"),
        event("thread_name_updated", thread_name="A  name"),
        {"type": "something_new", "payload": {"safe": True}},
    ]


def base(thread: str, ordinal: int, data: bytes) -> Record:
    """The field `history_base` for a file that continues `data` before the line with this ordinal."""
    before = b"".join(data.splitlines(keepends=True)[:ordinal])
    return {"history_base": {"thread_id": thread, "end_ordinal_exclusive": ordinal, "end_byte_offset": len(before)}}


def threads() -> dict[str, bytes]:
    """Make a home of a recent Codex: a thread, its fork, and its reverted file, each with its own lines only."""
    first = rollout(
        [meta(history_mode="paginated"), *turn(1, "One.", "1"), *turn(2, "Two.", "2"), *turn(3, "Three.", "3")],
        ordinal=0,
    )
    end = 1 + 2 * len(turn(1, "", ""))
    where = {"history_mode": "paginated", **base(THREAD, end, first)}
    fork = [meta(OTHER, forked_from_id=THREAD, **where), *turn(4, "Forked three.", "4")]
    revert = [meta(timestamp=stamp(200), **where), *turn(5, "Instead of three.", "5")]
    folder = "sessions/2026/01/01"
    return {
        f"{folder}/{name(THREAD)}": first,
        f"{folder}/{name(OTHER, 100)}": rollout(fork, 100, end),
        f"{folder}/{name(THREAD, 200, OTHER)}": rollout(revert, 200, end),
    }


def replayed() -> dict[str, bytes]:
    """A thread and a fork of 2026's first half, which repeats the lines of its parent with new times."""
    own = [meta(), said("developer", "<permissions instructions>All."), *turn(1, "One.", "1"), *turn(2, "Two.", "2")]
    fork = [meta(OTHER, forked_from_id=THREAD), *own, *turn(9, "Three.", "3")]
    return {f"sessions/{name(THREAD)}": rollout(own), f"sessions/{name(OTHER, 100)}": rollout(fork, 100)}


def subagent() -> dict[str, bytes]:
    """A thread whose tool call began another thread."""
    main = [
        meta(session_id=THREAD),
        said("user", "Ask someone."),
        item("function_call", name="spawn_agent", arguments='{"message":"Look."}', call_id="c9"),
        event("collab_agent_spawn_end", call_id="c9", new_thread_id=OTHER),
        item("function_call_output", call_id="c9", output="spawned"),
    ]
    spawn = {"parent_thread_id": THREAD, "depth": 1, "agent_nickname": "Ada", "agent_role": "explorer"}
    agent = [
        meta(OTHER, session_id=THREAD, source={"subagent": {"thread_spawn": spawn}}),
        *turn(1, "Look.", "Seen."),
    ]
    return {f"sessions/{name(THREAD)}": rollout(main), f"sessions/{name(OTHER, 5)}": rollout(agent, 5)}


def packed(data: bytes) -> bytes:
    """The bytes as Codex packs older files."""
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def put(folder: Path, files: dict[str, bytes]) -> list[Path]:
    """Write files below a folder; returns their paths."""
    paths = [folder / file for file in files]
    for path, data in zip(paths, files.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return paths


def kinds(path: Path, events: Iterable[ReadEvent]) -> tuple[Counter[str], list[str]]:
    """How many records of each kind a file holds, and the lines that are neither an entry nor anything with a name.

    A record that certainly makes an entry must be one.
    """
    told = list(events)
    entries = {one.record.offset for one in told if isinstance(one, Entry) and one.record is not None}
    skipped = {one.line for one in told if isinstance(one, Skipped)}
    counts, lost = Counter[str](), []
    for line in SourceLines(path, opener=open_rollout):
        if not isinstance(line, Line) or line.number in skipped:
            continue
        try:
            record = normalised(parse_object(line.data))
        except BadLineError:
            lost.append(f"line {line.number} cannot be read and is not reported")
            continue
        counts[kind_of(record)] += 1
        if part_of(record) in ENTRIES and line.offset not in entries:
            lost.append(f"line {line.number} ({kind_of(record)}) is not an entry")
    return counts, lost
