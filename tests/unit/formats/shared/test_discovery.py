"""Every tool's sessions are found in its folders on Linux, macOS and Windows, and where the environment moves them.

A new format needs a row in `PLACES`. A made-up home has the sessions of one tool, laid out as on one system.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.formats.registry import FORMATS, standard_formats
from tests.fuzz.run import seeds_of

Place = tuple[dict[str, str], str]  # variables of the environment, and the path of a session; {home} is the home
NOWHERE = "nowhere"  # downloaded to, or written in, a place that the person chooses
SYSTEMS = ("Linux", "macOS", "Windows")
_WINDOWS = {"APPDATA": "{home}/AppData/Roaming", "LOCALAPPDATA": "{home}/AppData/Local"}
_MAC = "Library/Application Support"
_ID = "5e550000-0000-4000-8000-000000000001"


def everywhere(path: str, *moved: Place) -> dict[str, list[Place]]:
    """The same folder below the home on each system; `moved` are places that variables name."""
    return {system: [({}, path), *moved] for system in SYSTEMS}


def by_system(linux: str, mac: str, windows: str, *moved: Place) -> dict[str, list[Place]]:
    rows: dict[str, list[Place]] = {"Linux": [({}, linux), *moved], "macOS": [({}, f"{_MAC}/{mac}"), *moved]}
    return {**rows, "Windows": [(_WINDOWS, windows), *moved]}


def in_vscode(path: str, *more: str, program: str = "Code") -> dict[str, list[Place]]:
    """A path in the folder User of a program made from VS Code, and in those of its relatives `more`."""
    rows = by_system(
        f".config/{program}/User/{path}", f"{program}/User/{path}", f"AppData/Roaming/{program}/User/{path}",
        ({"VSCODE_PORTABLE": "{home}/stick"}, f"stick/user-data/User/{path}"),
        ({"VSCODE_APPDATA": "{home}/moved"}, f"moved/{program}/User/{path}"),
    )  # fmt: skip
    rows["Linux"].append(({"XDG_CONFIG_HOME": "{home}/config"}, f"config/{program}/User/{path}"))
    rows["Linux"] += [({}, f".config/{other}/User/{path}") for other in more]
    return rows


_TASK = "tasks/1767225600000/api_conversation_history.json"
PLACES: dict[str, dict[str, list[Place]] | str] = {
    "openclaw": everywhere(
        ".openclaw/agents/main/sessions/s.jsonl",
        ({}, ".clawdbot/agents/main/sessions/s.jsonl"),
        ({}, ".moltbot/agents/main/sessions/s.jsonl"),
        ({"OPENCLAW_STATE_DIR": "{home}/state"}, "state/agents/main/sessions/s.jsonl"),
        ({"CLAWDBOT_STATE_DIR": "~/state"}, "state/agents/main/sessions/s.jsonl"),
    ),
    "pi": everywhere(
        ".pi/agent/sessions/--w--/s.jsonl",
        ({}, ".pi/agent/s.jsonl"),
        ({"PI_CODING_AGENT_DIR": "~/elsewhere"}, "elsewhere/sessions/--w--/s.jsonl"),
    ),
    "droid": everywhere(f".factory/sessions/-w/{_ID}.jsonl"),
    "vibe": everywhere(
        ".vibe/logs/session/session_1/messages.jsonl",
        ({"VIBE_HOME": "{home}/v"}, "v/logs/session/session_1/messages.jsonl"),
    ),
    "kiro": everywhere(
        f".kiro/sessions/cli/{_ID}.jsonl", ({"KIRO_HOME": "{home}/k"}, f"k/sessions/cli/{_ID}.jsonl")
    ),
    "qwen": everywhere(
        ".qwen/projects/w/chats/s.jsonl",
        ({}, ".qwen/tmp/w/chats/session-1.jsonl"),
        ({"QWEN_HOME": "{home}/q"}, "q/projects/w/chats/s.jsonl"),
        ({"QWEN_RUNTIME_DIR": "{home}/r", "QWEN_HOME": "{home}/q"}, "r/projects/w/chats/s.jsonl"),
    ),
    "claude-code": everywhere(
        f".claude/projects/-w/{_ID}.jsonl",
        ({"CLAUDE_CONFIG_DIR": "{home}/c"}, f"c/projects/-w/{_ID}.jsonl"),
        ({"CLAUDE_CONFIG_DIR": "~/c"}, f"c/projects/-w/{_ID}.jsonl"),
    ),
    "codex": everywhere(
        f".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-{_ID}.jsonl",
        ({}, f".codex/archived_sessions/rollout-2026-01-01T00-00-00-{_ID}.jsonl"),
        ({"CODEX_HOME": "{home}/x"}, f"x/sessions/2026/01/01/rollout-2026-01-01T00-00-00-{_ID}.jsonl"),
    ),
    "copilot-cli": everywhere(
        f".copilot/session-state/{_ID}/events.jsonl",
        ({"COPILOT_HOME": "{home}/c"}, f"c/session-state/{_ID}/events.jsonl"),
    ),
    "vscode-chat": in_vscode(
        f"workspaceStorage/f00d/chatSessions/{_ID}.jsonl", "Code - Insiders", "VSCodium"
    ),
    "cursor-cli": everywhere(
        ".cursor/projects/w/agent-transcripts/s/s.jsonl",
        ({"CURSOR_CONFIG_DIR": "{home}/c"}, "c/projects/w/agent-transcripts/s/s.jsonl"),
    ),
    "gemini": everywhere(
        ".gemini/tmp/w/chats/session-1.jsonl",
        ({"GEMINI_CLI_HOME": "{home}/g"}, "g/.gemini/tmp/w/chats/session-1.jsonl"),
    ),
    "opencode": everywhere(
        ".local/share/opencode/opencode.db",
        ({"XDG_DATA_HOME": "{home}/data"}, "data/opencode/opencode.db"),
        ({"OPENCODE_DB": "{home}/other/opencode-dev.db"}, "other/opencode-dev.db"),
    ),
    "llm": by_system(
        ".config/io.datasette.llm/logs.db", "io.datasette.llm/logs.db", "AppData/Roaming/io.datasette.llm/logs.db",
        ({"LLM_USER_PATH": "{home}/llm"}, "llm/logs.db"),
    ),
    "librecode": everywhere(
        ".librecode/librecode.db",
        ({"LIBRECODE_HOME": "~/l"}, "l/librecode.db"),
        ({"LIBRECODE_DATABASE_PATH": "{home}/d/librecode.db"}, "d/librecode.db"),
    ),
    "zed": by_system(
        ".local/share/zed/threads/threads.db", "Zed/threads/threads.db", "AppData/Local/Zed/threads/threads.db",
        ({"XDG_DATA_HOME": "{home}/data"}, "data/zed/threads/threads.db"),
        ({"FLATPAK_XDG_DATA_HOME": "{home}/flat"}, "flat/zed/threads/threads.db"),
    ),
    "cursor": in_vscode("globalStorage/state.vscdb", program="Cursor"),
    "cline": in_vscode(f"globalStorage/saoudrizwan.claude-dev/{_TASK}", "Cursor", "Windsurf"),
    "roo-code": in_vscode(f"globalStorage/rooveterinaryinc.roo-cline/{_TASK}", "Cursor"),
    "kilo-code": in_vscode(f"globalStorage/kilocode.kilo-code/{_TASK}"),
    "goose": by_system(
        ".local/share/goose/sessions/sessions.db", "Block/goose/sessions/sessions.db",
        "AppData/Roaming/Block/goose/data/sessions/sessions.db",
        ({"GOOSE_PATH_ROOT": "{home}/g"}, "g/data/sessions/sessions.db"),
        ({"XDG_DATA_HOME": "{home}/data"}, "data/goose/sessions/20250724_1.jsonl"),
    ),
    "crush": {  # a list names the projects, each of which has its own database
        "Linux": [({}, "w/.crush/crush.db"), ({"XDG_DATA_HOME": "{home}/data"}, "w/.crush/crush.db")],
        "macOS": [({}, "w/.crush/crush.db"), ({"CRUSH_GLOBAL_DATA": "{home}/c"}, "w/.crush/crush.db")],
        "Windows": [(_WINDOWS, "w/.crush/crush.db")],
    },
    "windsurf": everywhere(f".windsurf/transcripts/{_ID}.jsonl"),
    "hermes": {
        "Linux": [
            ({}, ".hermes/state.db"),
            ({}, ".hermes/profiles/work/state.db"),
            ({"HERMES_HOME": "{home}/h"}, "h/state.db"),
        ],
        "macOS": [({}, ".hermes/state.db")],
        "Windows": [(_WINDOWS, "AppData/Local/hermes/state.db")],
    },
    "aider": everywhere(
        "projects/w/.aider.chat.history.md",
        ({"AIDER_CHAT_HISTORY_FILE": "{home}/notes/.aider.chat.history.md"}, "notes/.aider.chat.history.md"),
    ),
    "continue": everywhere(
        f".continue/sessions/{_ID}.json", ({"CONTINUE_GLOBAL_DIR": "{home}/c"}, f"c/sessions/{_ID}.json")
    ),
    "amp": everywhere(
        ".local/share/amp/threads/T-019ca1ce-3ae2-7686-a41e-ccc078837f8a.json",
        ({"XDG_DATA_HOME": "{home}/d"}, "d/amp/threads/T-019ca1ce-3ae2-7686-a41e-ccc078837f8a.json"),
    ),
    "librechat": NOWHERE,
    "grok": NOWHERE,
    "ai-studio": NOWHERE,
    "chatgpt": NOWHERE,
    "json": NOWHERE,
    "claude-ai": NOWHERE,
    "open-webui": NOWHERE,
}  # fmt: skip
# Where a tool lists the folders of its sessions, and what it writes there
LISTS = {
    ("crush", "Linux"): (".local/share/crush/projects.json", "data/crush/projects.json"),
    ("crush", "macOS"): (".local/share/crush/projects.json", "c/projects.json"),
    ("crush", "Windows"): ("AppData/Local/crush/projects.json",),
}
_LIST = '{{"projects": [{{"path": "{home}/w", "data_dir": "{home}/w/.crush"}}]}}'


def _read() -> list[str]:
    return [format.name for format in FORMATS if format.reader is not None]


def _cases() -> list[tuple[str, str, dict[str, str], str]]:
    return [
        (name, system, environment, path)
        for name, rows in PLACES.items()
        if not isinstance(rows, str)
        for system, places in rows.items()
        for environment, path in places
    ]


@pytest.mark.parametrize("name", _read())
def test_every_format_has_a_row_for_each_system(name: str, tmp_path: Path) -> None:
    rows = PLACES.get(name, {})
    if rows == NOWHERE:
        reader = next(format.reader for format in FORMATS if format.name == name)
        assert reader is not None
        assert reader().folders(tmp_path, {}) == ()
        return
    assert not isinstance(rows, str)
    missing = [system for system in SYSTEMS if not rows.get(system)]
    assert missing == [], f"{name} has no place in PLACES for {missing}"


@pytest.mark.parametrize(("name", "system", "environment", "path"), _cases())
def test_its_sessions_are_found(
    tmp_path: Path, name: str, system: str, environment: dict[str, str], path: str
) -> None:
    home = tmp_path / "home"
    file = home / path
    file.parent.mkdir(parents=True)
    file.write_bytes(_content(name, file))
    for listed in LISTS.get((name, system), ()):
        (home / listed).parent.mkdir(parents=True)
        (home / listed).write_text(_LIST.format(home=home.as_posix()))
    told = {variable: value.format(home=home) for variable, value in environment.items()}
    formats = standard_formats(home, told)
    found = [one for one in formats.discover() if one.source == name]
    assert [one.files for one in found] == [(str(file),)], system
    assert formats.identify(file) == name
    assert formats.session_file(file) == file  # so a change of it is followed


def _content(name: str, file: Path) -> bytes:
    """The session of a seed whose file has the same ending, without the files beside it."""
    seed = next(seed for seed in seeds_of(name) if Path(seed.main).suffix == file.suffix)
    return seed.files[seed.main]
