"""Valid session files of every format, small enough to be changed and read thousands of times."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.fakes import (
    ai_studio,
    aider,
    amp,
    cline,
    codex,
    continue_dev,
    copilot_cli,
    crush,
    cursor,
    cursor_cli,
    gemini,
    goose,
    grok,
    hermes,
    json_export,
    librechat,
    librecode,
    llm,
    message_logs,
    open_webui,
    opencode,
    qwen,
    vscode_chat,
    windsurf,
    zed,
)

Files = dict[str, bytes]

_DATA = Path(__file__).parents[1] / "data" / "claude_code"
_EXPORTS = _DATA.parent
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_AT = "2026-01-01T00:{:02d}:{:02d}.000Z"


@dataclass(frozen=True)
class Seed:
    """The files of one session, by path. The first is the session's own."""

    name: str
    files: Files
    changes: bool = False  # a line may change what earlier lines say, so no record is good by itself

    @property
    def main(self) -> str:
        return next(iter(self.files))

    @property
    def is_text(self) -> bool:
        return self.files[self.main].lstrip()[:1] in (b"{", b"[")


def seeds() -> list[Seed]:
    return [*_first_seeds(), *_log_seeds(), *_other_seeds()]


def _first_seeds() -> list[Seed]:
    return [
        Seed("pi v1", {"v1.jsonl": _lines(_pi_v1())}),
        Seed("pi v2", {"v2.jsonl": _lines(_pi(2))}),
        Seed("pi v3", {"v3.jsonl": _lines(_pi(3))}),
        Seed(
            "pi fork of v1", {"fork.jsonl": _lines([{**_header(3), "parentSession": "/w/v1.jsonl"}, *_pi_v1()[1:]])}
        ),
        Seed("openclaw", _openclaw()),
        *(Seed(f"claude-code {path.stem[:8]}", _claude(path)) for path in sorted(_DATA.glob("*.jsonl"))),
        *(
            Seed(path.parent.name, {path.name: _one_line(path)})
            for path in sorted(_EXPORTS.glob("*/conversations.json"))
        ),
        *(
            Seed(f"{path.parent.name} packed", {"data-1-batch-0000.zip": _packed(path)})
            for path in sorted(_EXPORTS.glob("*/conversations.json"))
        ),
        Seed("opencode files", _opencode_files()),
        Seed("gemini document", {"session-2026-01-01T00-00-5e55.json": _gemini_document()}),
    ]


def _log_seeds() -> list[Seed]:
    return [
        Seed("codex", {f"sessions/{codex.name(codex.THREAD)}": codex.rollout(codex.plain())}),
        Seed("codex threads", codex.threads()),
        Seed("codex revert", dict(reversed(codex.threads().items()))),
        Seed("codex replay", dict(reversed(codex.replayed().items()))),
        Seed("codex subagent", codex.subagent()),
        Seed(
            "codex packed", {f"sessions/{codex.name(codex.THREAD)}.zst": codex.packed(codex.rollout(codex.plain()))}
        ),
        Seed("claude-code sidechain", {"5c0ffee5-0000-4000-8000-000000000001.jsonl": _lines(_sidechain())}),
        Seed("aider", {aider.HISTORY: aider.talk()}),
        Seed("continue", {continue_dev.NAME: continue_dev.session(*continue_dev.talk())}),
        Seed("librechat", {"conversations.json": librechat.export(librechat.tea())}),
        Seed("grok", {grok.NAME: _two_of_grok()}),
        Seed("ai-studio", {"conversations.json": ai_studio.chat(*ai_studio.tea())}),
        Seed("librechat tree", {"conversations.json": librechat.export(librechat.tea(), tree=True)}),
    ]


def _other_seeds() -> list[Seed]:
    return [
        Seed("json", {"copy.jsonl": json_export.export()}),
        Seed("open-webui", {"chat-export-1.json": _two_chats()}),
        Seed("llm", {"logs.db": llm.packed()}),
        Seed("librecode", {"librecode.db": librecode.packed()}),
        Seed("cursor", {"state.vscdb": cursor.packed()}),
        Seed("cursor-cli", {"agent-transcripts/s/s.jsonl": _lines(cursor_cli.talk())}),
        Seed("windsurf", {"5e55.jsonl": windsurf.lines(*windsurf.talk())}),
        Seed("cline", cline.files_of_task()),
        Seed("roo-code", cline.files_of_task("rooveterinaryinc.roo-cline")),
        Seed("kilo-code", cline.files_of_task("kilocode.kilo-code")),
        Seed("cline session", cline.files_of_session()),
        Seed("droid", {"5e55.jsonl": _lines(message_logs.droid_talk())}),
        Seed("vibe", _vibe()),
        Seed("kiro", _kiro()),
        Seed("qwen", {"chats/5e55.jsonl": _lines(qwen.talk())}),
        Seed("amp", {f"{amp.ID}.json": amp.thread(*amp.talk())}),
        Seed("crush", {"crush.db": crush.packed()}),
        Seed("hermes", {"state.db": hermes.packed()}),
        Seed("goose", {"sessions.db": goose.packed()}),
        Seed("goose file", {"20250724_1.jsonl": goose.log()}),
        Seed("zed", {"threads.db": zed.packed()}),
        Seed("opencode", {"opencode.db": opencode.packed()}),
        Seed("gemini", {"session-1.jsonl": _lines(_gemini())}, changes=True),
        Seed("copilot-cli", {"5e55/events.jsonl": _lines(_copilot_cli())}),
        Seed("vscode-chat", {"chatSessions/5e55.jsonl": _lines(vscode_chat.rewound())}, changes=True),
        Seed(
            "vscode-chat document",
            {"chatSessions/5e550000-0000-4000-8000-000000000001.json": vscode_chat.document()},
        ),
    ]


def _lines(records: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)


def _one_line(path: Path) -> bytes:
    """An export as its service writes it."""
    return json.dumps(json.loads(path.read_bytes()), ensure_ascii=False, separators=(",", ":")).encode()


def _packed(path: Path) -> bytes:
    """An export in an archive, beside another file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", _one_line(path))
        archive.writestr("user.json", b"{}")
    return out.getvalue()


def _two_chats() -> bytes:
    return open_webui.export(open_webui.record(open_webui.tea()), open_webui.record(open_webui.tea(), "c2"))


def _two_of_grok() -> bytes:
    first, second = grok.conversation(grok.tea()), grok.conversation(grok.tea(), "c2")
    return grok.export(first, second, projects=[{"id": "p", "name": "Tea"}])


def _stamp(at: int) -> str:
    return _AT.format(at // 60, at % 60)


def _header(version: int | None) -> dict[str, Any]:
    start: dict[str, Any] = {"type": "session"} | ({} if version is None else {"version": version})
    return {**start, "id": "5e55104e-0000-4000-8000-000000000001", "timestamp": _stamp(0), "cwd": "/w"}


def _messages() -> list[dict[str, Any]]:
    usage = {"input": 100, "output": 20, "cacheRead": 7, "cacheWrite": 3, "totalTokens": 130, "cost": {"total": 0.01}}
    spoke = {"api": "a", "provider": "anthropic", "model": "m", "usage": usage}
    call = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a.py", "depth": [1, {"n": 2.5}]}}
    image = {"type": "image", "data": _PIXEL, "mimeType": "image/png"}
    return [
        {"role": "user", "content": "Read a.py.", "timestamp": 1},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}, call], "stopReason": "toolUse"}
        | spoke,
        {
            "role": "toolResult",
            "toolCallId": "c1",
            "toolName": "read",
            "content": [{"type": "text", "text": "x"}, image],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}], "stopReason": "stop"} | spoke,
        {"role": "bashExecution", "command": "ls", "output": "a.py", "exitCode": 0, "cancelled": False},
        {"role": "user", "content": [{"type": "text", "text": "Ünïcode 🙂"}, image]},
    ]


def _entries() -> list[dict[str, Any]]:
    """Return payloads of every type, messages among them."""
    said = [{"type": "message", "message": message} for message in _messages()]
    return [
        *said,
        {"type": "model_change", "provider": "openai", "modelId": "g"},
        {"type": "thinking_level_change", "thinkingLevel": "high"},
        {
            "type": "message",
            "message": {"role": "hookMessage", "customType": "h", "content": "hook", "display": True},
        },
        {"type": "message", "message": {"role": "user", "content": "again"}},
        {"type": "custom_message", "customType": "n", "content": "note", "display": False, "details": {"a": 1}},
        {"type": "custom", "customType": "x.state", "data": {"deep": {"er": [1, 2, 3]}}},
    ]


def _pi_v1() -> list[dict[str, Any]]:
    compaction = {"type": "compaction", "summary": "So far.", "firstKeptEntryIndex": 3, "tokensBefore": 900}
    payloads = [*_entries(), compaction, {"type": "message", "message": {"role": "user", "content": "after"}}]
    return [
        _header(None) | {"provider": "anthropic"},
        *({**p, "timestamp": _stamp(at)} for at, p in enumerate(payloads, 1)),
    ]


def _pi(version: int) -> list[dict[str, Any]]:
    payloads = [
        *_entries(),
        {"type": "compaction", "summary": "So far.", "firstKeptEntryId": "e0003", "tokensBefore": 900},
        {"type": "branch_summary", "fromId": "e0005", "summary": "Left there.", "details": {"readFiles": ["a.py"]}},
        {"type": "label", "targetId": "e0002", "label": "here"},
        {"type": "session_info", "name": "A name"},
        {"type": "message", "message": {"role": "user", "content": "after"}},
    ]
    out = [_header(version)]
    for at, payload in enumerate(payloads, 1):
        parent = None if at == 1 else f"e{2 if at == 5 else at - 1:04}"
        out.append({"id": f"e{at:04}", "parentId": parent, "timestamp": _stamp(at), **payload})
    return out


def _openclaw() -> Files:
    index = {
        "agent:main:main": {"sessionId": _header(2)["id"], "displayName": "Main", "inputTokens": 12, "channel": "x"}
    }
    folder = ".openclaw/agents/main/sessions/"
    return {f"{folder}s.jsonl": _lines(_pi(2)), f"{folder}sessions.json": json.dumps(index).encode()}


def _claude(main: Path) -> Files:
    beside = sorted(path for path in main.with_suffix("").rglob("*") if path.is_file())
    return {str(path.relative_to(main.parent)): path.read_bytes() for path in (main, *beside)}


def _sidechain() -> list[dict[str, Any]]:
    """Return lines with a subagent in the session's own file, a compaction, two results in a line, and facts."""
    session = {"sessionId": "5c0ffee5-0000-4000-8000-000000000001", "cwd": "/w", "version": "2.0"}
    call = {"type": "tool_use", "id": "t1", "name": "Task", "input": {"prompt": "look"}}
    other = {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "ls"}}
    results = [{"type": "tool_result", "tool_use_id": id, "content": f"result {id}"} for id in ("t1", "t2")]
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_creation": {"ephemeral_1h_input_tokens": 2}}
    rows: list[tuple[str, str | None, dict[str, Any]]] = [
        ("u1", None, {"type": "user", "message": {"role": "user", "content": "start"}}),
        (
            "a1",
            "u1",
            {"type": "assistant", "message": {"id": "m1", "model": "m", "content": [call, other], "usage": usage}},
        ),
        ("s1", None, {"type": "user", "isSidechain": True, "message": {"role": "user", "content": "look"}}),
        (
            "s2",
            "s1",
            {"type": "assistant", "isSidechain": True, "message": {"id": "m2", "content": [], "usage": usage}},
        ),
        (
            "r1",
            "a1",
            {"type": "user", "message": {"role": "user", "content": [*results, {"type": "text", "text": "and"}]}},
        ),
        ("n1", "r1", {"type": "system", "subtype": "turn_duration", "durationMs": 12}),
        ("b1", "n1", {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"preTokens": 500}}),
        ("c1", "b1", {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": "Summary."}}),
        ("x1", "c1", {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "go on"}}),
        (
            "a2",
            "x1",
            {"type": "assistant", "message": {"id": "m3", "model": "m", "content": [{"type": "text", "text": "ok"}]}},
        ),
    ]
    lines = [
        {"uuid": id, "parentUuid": parent, "timestamp": _stamp(at), **session, **payload}
        for at, (id, parent, payload) in enumerate(rows)
    ]
    return [
        *lines,
        {"type": "summary", "summary": "A title", "leafUuid": "a2"},
        {"type": "last-prompt", "leafUuid": "a2", **session},
    ]


def _vibe() -> Files:
    return {"messages.jsonl": _lines(message_logs.vibe_talk()), "meta.json": message_logs.vibe_facts()}


def _kiro() -> Files:
    return {"cli/5e55.jsonl": _lines(message_logs.kiro_talk()), "cli/5e55.json": message_logs.kiro_facts()}


def _gemini() -> list[dict[str, Any]]:
    context, question = gemini.said("c", gemini.CONTEXT), gemini.said("a", "Which tea?", 1)
    calls = [gemini.call("t", "tea.txt"), gemini.call("u")]
    return [
        gemini.head(),
        gemini.checkpoint(context),
        question,
        gemini.reply("b", "", 2, thoughts=[{"subject": "Plan", "description": "Look."}]),
        gemini.reply("b", "", 2, toolCalls=calls),
        gemini.answered("r", gemini.response("u", "Sencha"), at=3),
        gemini.reply("d", "Sencha.", 4),
        gemini.said("e", "Another?", 5),
        gemini.rewind("e"),
        gemini.checkpoint(context, question),
        gemini.said("f", "Why?", 6),
        gemini.checkpoint(context, gemini.said("s", "<state_snapshot/>", 7), gemini.said("k", "Why?", 7)),
        {"$set": {"summary": "Names a tea"}},
    ]


def _gemini_document() -> bytes:
    """A session as older versions of Gemini CLI wrote it."""
    head = {"sessionId": "5e55", "projectHash": "p", "startTime": gemini.stamp(1), "lastUpdated": gemini.stamp(9)}
    reply = gemini.reply("b", "I look.", 2, toolCalls=[gemini.call("t", "tea.txt")])
    said = [gemini.said("a", "Which tea?", 1), reply, gemini.said("c", "And green?", 3), gemini.reply("d", "Yes.", 4)]
    return json.dumps({**head, "messages": said}, indent=2).encode()


def _opencode_files() -> Files:
    """A session as older versions of opencode wrote it: a file for each message and each part."""
    with TemporaryDirectory() as folder:
        path, storage = Path(folder, "opencode.db"), Path(folder, "storage")
        with opencode.store(path) as made:
            made.session("ses_s")
            made.prompt("ses_s", "msg_1", "Which tea?", at=2)
            made.reply("ses_s", "msg_2", "Sencha.", at=3, above="msg_1")
            made.prompt("ses_s", "msg_3", "List them.", opencode.text("Called Read", synthetic=True), at=4)
            made.reply("ses_s", "msg_4", "I list.", opencode.tool("c", "a.py", at=5), at=5, above="msg_3")
        main = opencode.unpacked(path, storage)["ses_s"]
        found = [main, *sorted(set(storage.rglob("*.json")) - {main})]
        return {str(file.relative_to(folder)): file.read_bytes() for file in found}


def _copilot_cli() -> list[dict[str, Any]]:
    event = copilot_cli.event
    return [
        copilot_cli.start(),
        event("session.model_change", "m", newModel="gpt-5-mini"),
        event("system.message", "p", content="You help."),
        copilot_cli.said("a", "Which tea?", 2, transformedContent="<now/> Which tea?"),
        copilot_cli.reply("b", "I look.", 3, [copilot_cli.call("t")], reasoningText="Hm.", reasoningOpaque="x"),
        copilot_cli.began("c", "t", 4),
        copilot_cli.done("d", "t", "Sencha\n<shellId: 0 completed with exit code 0>", 5),
        copilot_cli.reply("e", "", 6, [copilot_cli.call("u", "task", {"prompt": "Look."})]),
        event("subagent.started", "f", 7, "u", toolCallId="u", agentName="task"),
        event("user.message", "g", 7, "u", content="Look.", source="agent-5e55"),
        event("assistant.message", "h", 8, "u", content="Sencha.", toolRequests=[]),
        copilot_cli.done("i", "u", "Sencha.", 9),
        event("session.compaction_start", "j", 10, currentTokens=900),
        event("session.compaction_complete", "k", 11, success=True, summaryContent="Sencha it is."),
        event("system.message", "l", 12, content="You help."),
        copilot_cli.reply("n", "Done.", 13),
        event("session.shutdown", "o", 14, currentTokens=90),
        event("tea.poured", "q", 15, cups=2),
    ]
