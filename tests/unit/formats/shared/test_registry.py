"""Finding session files, telling formats apart, and saying clearly why a file is none."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from stemmata.domain.errors import KnownError, NotFoundError, UnreadableSourceError
from stemmata.domain.sources.reading import Begin, Checkpoint, End
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.gemini.reader import Gemini
from stemmata.formats.openclaw.reader import OpenClaw
from stemmata.formats.registry import FORMATS, FormatRegistry, is_followed_name, standard_formats
from stemmata.formats.shared.format import SessionReader, SingleFileFormat
from stemmata.formats.shared.source_file import other_files, session_files
from tests.fakes import ai_studio
from tests.fakes.export_source import MemorySource
from tests.fuzz.run import seeds_of
from tests.fuzz.seeds import Seed

PI = b'{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n'
SAID = b'{"type":"message","id":"a","parentId":null,"timestamp":"x","message":{"role":"user","content":"hi"}}\n'
CLAUDE = b'{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"c1","timestamp":"2026-01-01T00:00:00Z",'
CLAUDE += b'"message":{"role":"user","content":"hi"}}\n'

UNIQUE_IDS = [
    "droid", "qwen", "claude-code", "codex", "vibe", "kiro", "goose", "roo-code", "kilo-code", "cline", "continue",
]  # fmt: skip


@pytest.fixture
def formats(tmp_path: Path) -> FormatRegistry:
    return standard_formats(tmp_path / "home", {})


def put(path: Path, content: bytes = PI) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_a_session_that_is_one_file_has_no_companions(tmp_path: Path) -> None:
    reader, known = Gemini(), Checkpoint("a", 1, 1, 1, 1, "", "")
    assert reader.main_file(tmp_path) is None
    assert not reader.is_companion(tmp_path)
    assert not reader.companions_changed(tmp_path, known)


# -- files below a folder --------------------------------------------------------------------------------------------


def test_session_files_are_found_by_name_in_order(tmp_path: Path) -> None:
    wanted = [
        put(tmp_path / name)
        for name in (
            "a.jsonl",
            "b/c/d.jsonl",
            "e.jsonl.deleted.2026-01-01",
            "f.jsonl.reset.2026-01-01T00-00",
            "opencode.db",
            "opencode-dev.db",
            "logs.db",
            "storage/session/p/ses_1.json",
        )
    ]
    for name in ("g.json", "h.jsonl.full.bak", "other.db", "opencode.db-wal", "i.jsonl.lock", ".jsonl", "j.txt"):
        put(tmp_path / name)
    assert session_files(tmp_path) == sorted(wanted)
    assert session_files(tmp_path, deep=False) == [path for path in sorted(wanted) if path.parent == tmp_path]
    assert session_files(tmp_path / "missing") == []
    assert session_files(tmp_path / "a.jsonl") == []


def test_symbolic_links_are_never_followed(tmp_path: Path) -> None:
    put(tmp_path / "outside" / "secret.jsonl")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "folder").symlink_to(tmp_path / "outside")
    (inside / "file.jsonl").symlink_to(tmp_path / "outside" / "secret.jsonl")
    (inside / "loop").symlink_to(inside)
    assert session_files(inside) == []


def test_a_folder_that_may_not_be_read_is_listed_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "open" / "a.jsonl")
    (tmp_path / "shut").mkdir()
    scandir = os.scandir

    def guarded(path: Path) -> Iterator[os.DirEntry[str]]:
        if Path(path).name == "shut":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr("stemmata.formats.shared.source_file.os.scandir", guarded)
    assert session_files(tmp_path) == [tmp_path / "open" / "a.jsonl", tmp_path / "shut"]
    with pytest.raises(UnreadableSourceError, match="No permission to read"):
        standard_formats(tmp_path, {}).identify(tmp_path / "shut")


def test_a_path_stands_for_its_session_files(tmp_path: Path, formats: FormatRegistry) -> None:
    one = put(tmp_path / "x" / "a.jsonl")
    two = put(tmp_path / "x" / "b" / "c.jsonl")
    assert formats.expand(tmp_path / "x")[0] == [one, two]
    assert formats.expand(one)[0] == [one]
    assert formats.expand(one, "pi")[0] == [one]
    with pytest.raises(NotFoundError, match=r"Unknown format: zip\. .*pi"):
        formats.expand(one, "zip")
    with pytest.raises(NotFoundError, match="File not found"):
        formats.expand(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreadableSourceError, match="contains no session files"):
        formats.expand(tmp_path / "empty")


def test_files_of_subagents_come_with_their_session(tmp_path: Path, formats: FormatRegistry) -> None:
    session = put(tmp_path / "s1.jsonl", CLAUDE)
    put(tmp_path / "s1" / "subagents" / "agent-a1.jsonl", CLAUDE)
    orphan = put(tmp_path / "s2" / "subagents" / "agent-a2.jsonl", CLAUDE)
    assert formats.expand(tmp_path)[0] == [session, orphan]


# -- what is on this machine -----------------------------------------------------------------------------------------


def test_standard_folders_are_looked_through(tmp_path: Path, formats: FormatRegistry) -> None:
    home = tmp_path / "home"
    put(home / ".pi/agent/sessions/--w--/2026_s1.jsonl")
    put(home / ".pi/agent/old.jsonl")
    put(home / ".pi/agent/extensions/node_modules/x/fixture.jsonl")
    put(home / ".openclaw/agents/main/sessions/s2.jsonl")
    put(home / ".openclaw/agents/work/sessions/s3.jsonl.deleted.1")
    put(home / ".clawdbot/agents/main/sessions/s4.jsonl")
    put(home / ".claude/projects/-w/c1.jsonl", CLAUDE)
    put(home / ".config/claude/projects/-w/c2.jsonl", CLAUDE)
    found = {(item.source, str(Path(item.folder).relative_to(home))): item for item in formats.discover()}
    assert {key: len(item.files) for key, item in found.items()} == {
        ("openclaw", ".openclaw/agents/main/sessions"): 1,
        ("openclaw", ".openclaw/agents/work/sessions"): 1,
        ("openclaw", ".clawdbot/agents/main/sessions"): 1,
        ("pi", ".pi/agent/sessions"): 1,
        ("pi", ".pi/agent"): 1,
        ("claude-code", ".claude/projects"): 1,
        ("claude-code", ".config/claude/projects"): 1,
    }
    assert found["pi", ".pi/agent"].files == (str(home / ".pi/agent/old.jsonl"),)
    assert found["pi", ".pi/agent"].size == len(PI)
    assert found["pi", ".pi/agent"].name == "pi"


def test_the_environment_moves_the_folders(tmp_path: Path) -> None:
    home = tmp_path / "home"
    put(home / "elsewhere/sessions/w/a.jsonl")
    put(tmp_path / "state/agents/main/sessions/b.jsonl")
    put(tmp_path / "claude/projects/-w/c.jsonl", CLAUDE)
    put(home / ".pi/agent/sessions/w/not-looked-at.jsonl")
    environment = {
        "PI_CODING_AGENT_DIR": "~/elsewhere",
        "OPENCLAW_STATE_DIR": str(tmp_path / "state"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
    }
    found = standard_formats(home, environment).discover()
    assert [(item.source, item.files) for item in found] == [
        ("openclaw", (str(tmp_path / "state/agents/main/sessions/b.jsonl"),)),
        ("pi", (str(home / "elsewhere/sessions/w/a.jsonl"),)),
        ("claude-code", (str(tmp_path / "claude/projects/-w/c.jsonl"),)),
    ]


@pytest.mark.parametrize(
    ("folder", "environment"),
    [
        (".local/share/opencode", {}),  # Linux, macOS, and Windows below %USERPROFILE%
        ("data/opencode", {"XDG_DATA_HOME": "{home}/data"}),
        ("elsewhere", {"OPENCODE_DB": "{home}/elsewhere/opencode-mine.db"}),
    ],
)
def test_a_database_is_found_with_its_log_beside_it(tmp_path: Path, folder: str, environment: dict[str, str]) -> None:
    place = tmp_path / folder
    for name in ("opencode-mine.db", "opencode-mine.db-wal", "opencode-mine.db-shm", "auth.json", "log/x.jsonl"):
        put(place / name)
    told = {name: value.format(home=tmp_path) for name, value in environment.items()}
    [found] = standard_formats(tmp_path, told).discover()
    assert (found.source, found.name, found.files) == (
        "opencode", "opencode", (str(place / "opencode-mine.db"),),
    )  # fmt: skip


def test_nothing_installed_is_nothing_found(formats: FormatRegistry) -> None:
    assert formats.discover() == []


# -- what a file is --------------------------------------------------------------------------------------------------


def test_formats_are_told_apart_by_content(tmp_path: Path, formats: FormatRegistry) -> None:
    assert formats.identify(put(tmp_path / "a.txt")) == "pi"
    assert formats.identify(put(tmp_path / "b.jsonl", CLAUDE)) == "claude-code"
    assert formats.identify(put(tmp_path / "c.jsonl", b"\xef\xbb\xbf\n\nnot json\n" + PI)) == "pi"
    assert formats.identify(put(tmp_path / ".openclaw" / "agents" / "d.jsonl")) == "openclaw"
    put(tmp_path / "e" / "sessions.json", b"{}")
    assert formats.identify(put(tmp_path / "e" / "f.jsonl")) == "openclaw"


def test_a_long_first_line_is_looked_at_whole(tmp_path: Path, formats: FormatRegistry) -> None:
    header = json.dumps({"type": "session", "id": "s", "cwd": "/" + "x" * 300_000}).encode()
    assert formats.identify(put(tmp_path / "a.jsonl", header + b"\n")) == "pi"


@pytest.mark.parametrize(("content", "times"), [(b"[" + b'"x",' * 50_000, 1), (b"[\n" + b'"x",' * 50_000, 2)])
def test_the_same_bytes_are_looked_at_once(
    tmp_path: Path, formats: FormatRegistry, monkeypatch: pytest.MonkeyPatch, content: bytes, times: int
) -> None:
    heads = list[bytes]()
    monkeypatch.setattr("stemmata.formats.registry.is_own_export", heads.append)
    with pytest.raises(UnreadableSourceError):
        formats.identify(put(tmp_path / "a.json", content))
    assert len(heads) == len(set(heads)) == times


def test_an_export_that_quotes_another_tool_is_an_export(tmp_path: Path, formats: FormatRegistry) -> None:
    quoting = b'{"stemmata":1,\n"session":{"details":{"projectHash":"x"}}}'
    assert formats.identify(put(tmp_path / "a.json", quoting)) == "json"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"<!doctype html>\n<html>", "is a web page"),
        (b" \n\r\n", "is empty"),
        (b"SQLite format 3\0" + b"\1" * 100, "is a damaged database"),
        (b"\0\1", "is a binary file"),
        (b"-- tea\nCREATE TABLE threads (id TEXT);\n", "is the dump of a database"),
        (b"hello\nworld\n", r"not a session file of a supported tool. Supported: .*pi"),
        (b'{"name":"package"}\n', "not a session file of a supported tool"),
        (b'[1]\n"text"\n', "not a session file of a supported tool"),
        (b'{"type":"session","id":5}\n', "not a session file of a supported tool"),
        (b"\x1f\x8b\x08" + b"\0" * 100, r"is compressed \(gzip\)"),
        (b"\x28\xb5\x2f\xfd" + b"\0" * 100, r"is compressed \(Zstandard\)"),
        (b"PK\x03\x04" + b"\0" * 100, "is a ZIP archive"),
        (PI.decode().encode("utf-16"), "is encoded as UTF-16"),
        (b'{"type":"message","message":"odd"}\n', "not a session file of a supported tool"),
    ],
)
def test_a_file_that_is_no_session_says_so(
    tmp_path: Path, formats: FormatRegistry, content: bytes, words: str
) -> None:
    path = put(tmp_path / "a.jsonl", content)
    with pytest.raises(UnreadableSourceError, match=words) as told:
        formats.identify(path)
    assert isinstance(told.value.args[0], Phrase), "it can be translated"
    assert path.read_bytes() == content


def test_the_database_of_another_program_is_not_called_damaged(tmp_path: Path, formats: FormatRegistry) -> None:
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE tea (leaf TEXT)")
    with pytest.raises(UnreadableSourceError, match="is the database of a program whose sessions Stemmata does not"):
        formats.identify(path)
    path.write_bytes(path.read_bytes()[:4_000])
    with pytest.raises(UnreadableSourceError, match=r"is a damaged database\.$"):
        formats.identify(path)


def test_folders_and_missing_files_say_so(tmp_path: Path, formats: FormatRegistry) -> None:
    with pytest.raises(UnreadableSourceError, match="is a folder"):
        formats.identify(tmp_path)
    with pytest.raises(NotFoundError, match="File not found"):
        formats.identify(tmp_path / "a.jsonl")


# -- reading and writing ---------------------------------------------------------------------------------------------


def test_reading_is_handed_to_the_format(tmp_path: Path, formats: FormatRegistry) -> None:
    path = put(tmp_path / "a.jsonl")
    for name in ("pi", ""):
        events = list(formats.read(path, name, None))
        assert isinstance(events[0], Begin)
        assert events[0].info.source == "pi"
        assert isinstance(events[-1], End)
    with pytest.raises(NotFoundError, match="Unknown format"):
        list(formats.read(path, "zip", None))
    assert formats.head(path)[0] == len(PI)


def test_formats_that_only_write_are_not_among_those_that_read(formats: FormatRegistry) -> None:
    names = formats.import_names()
    assert {"pi", "claude-code", "json"} <= set(names)
    assert not {"markdown", "html"} & set(names)


def test_writing_is_handed_to_the_format(formats: FormatRegistry) -> None:
    assert {"pi", "markdown", "json"} <= set(formats.export_names())
    assert b'"type":"session"' in b"".join(formats.export("pi", MemorySource()))
    with pytest.raises(KnownError, match="Unknown export format: zip"):
        formats.export("zip", MemorySource())


# -- what is known of a file already -------------------------------------------------------------------------------


def test_whether_a_file_is_as_it_was(formats: FormatRegistry, tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl")
    size, mtime, head = formats.head(path)
    known = Checkpoint(str(path), size, mtime, size, 1, head)
    assert formats.is_unchanged(path, known)
    assert not formats.is_unchanged(path, replace(known, size=1))
    assert not formats.is_unchanged(path, replace(known, mtime=1))
    assert not formats.is_unchanged(tmp_path / "none", known)
    assert not formats.is_unchanged(Path("a\0b"), known)


def test_only_the_reader_that_made_a_checkpoint_is_asked_about_companions(
    formats: FormatRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path / "a.jsonl")
    size, mtime, head = formats.head(path)
    known = Checkpoint(str(path), size, mtime, size, 1, head)
    asked = []

    def changed(reader: SessionReader, _path: Path, _known: Checkpoint) -> bool:
        asked.append(reader.name)
        return True

    for format in FORMATS:
        if format.reader is not None:
            monkeypatch.setattr(type(format.reader()), "companions_changed", changed)
    assert not formats.is_unchanged(path, replace(known, source="claude-code"))
    assert asked == ["claude-code"]
    assert formats.is_unchanged(path, replace(known, source="a tool that this version does not read"))
    assert asked == ["claude-code"]


@pytest.mark.parametrize(
    ("log", "facts"),
    [
        ("sessions/p/s.jsonl", "sessions/p/s.settings.json"),
        ("session_20261127_101500_0a1b2c3d/messages.jsonl", "session_20261127_101500_0a1b2c3d/meta.json"),
        ("cli/s.jsonl", "cli/s.json"),
        ("sessions/s/s.messages.json", "sessions/s/s.json"),
    ],
)
def test_facts_beside_a_log_belong_to_its_session(
    formats: FormatRegistry, tmp_path: Path, log: str, facts: str
) -> None:
    beside = put(tmp_path / facts, b"{}")
    assert formats.session_file(beside) is None
    main = put(tmp_path / log)
    assert formats.session_file(beside) == main


@pytest.mark.parametrize("seed", seeds_of(), ids=lambda seed: seed.name)
def test_every_file_that_is_imported_is_followed(formats: FormatRegistry, tmp_path: Path, seed: Seed) -> None:
    """A followed folder reports a file by its name alone, before a reader is asked."""
    paths = [put(tmp_path / name, data) for name, data in seed.files.items()]
    paths += [path.with_name(path.name + "-wal") for path in paths]
    told = {path.name: is_followed_name(path.name) for path in paths if formats.session_file(path) is not None}
    assert all(told.values()), told


@pytest.mark.parametrize("name", ["notes.txt", "README.md", "opencode.db-shm", "other.db", "s.jsonl.bak"])
def test_a_file_of_another_name_is_not_followed(name: str) -> None:
    assert not is_followed_name(name)


def test_the_session_file_of_a_file(formats: FormatRegistry, tmp_path: Path) -> None:
    main = put(tmp_path / "s.jsonl", CLAUDE)
    agent = put(tmp_path / "s" / "subagents" / "agent-1.jsonl", CLAUDE)
    assert formats.session_file(main) == main
    assert formats.session_file(agent) == main
    assert formats.session_file(tmp_path / "notes.txt") is None
    main.unlink()
    assert formats.session_file(agent) == agent
    database = tmp_path / "opencode.db"
    assert formats.session_file(database) == formats.session_file(tmp_path / "opencode.db-wal") == database
    assert formats.session_file(tmp_path / "other.db-wal") is None


def test_a_record_whose_type_is_no_text_is_of_no_format(tmp_path: Path, formats: FormatRegistry) -> None:
    for at, kind in enumerate((["string", "null"], {"a": 1}, [], {}, 7, True, None, 1.5, [[["message"]]])):
        record = {"type": kind, "parentId": None, "id": kind, "message": kind, "sessionId": "s", "timestamp": kind}
        path = put(tmp_path / f"{at}.jsonl", json.dumps(record).encode() + b"\n")
        with pytest.raises(UnreadableSourceError, match="not a session file of a supported tool"):
            formats.identify(path)


def test_what_is_gone_while_the_machine_is_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path / ".pi" / "agent" / "sessions" / "a.jsonl")
    lstat = Path.lstat

    def gone(self: Path) -> os.stat_result:
        if self == path:
            raise FileNotFoundError(2, "No such file")
        return lstat(self)

    monkeypatch.setattr(Path, "lstat", gone)
    assert [found.size for found in standard_formats(tmp_path, {}).discover()] == [0]


BAD = [b"\0" * 10, b"\0" * 70_000, b"rubbish\n" * 20_000 + b"\0", PI[:30], b"x" * 300_000]


@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
@pytest.mark.parametrize(("sound", "name"), [(PI + SAID, "pi"), (SAID, "pi"), (CLAUDE, "claude-code")])
def test_one_bad_spot_does_not_hide_the_format(
    tmp_path: Path, formats: FormatRegistry, bad: bytes, sound: bytes, name: str
) -> None:
    assert formats.identify(put(tmp_path / "a.jsonl", bad + b"\n" + sound)) == name
    assert formats.identify(put(tmp_path / "a.jsonl", sound + bad)) == name


def test_a_lost_header_below_openclaws_folder(tmp_path: Path, formats: FormatRegistry) -> None:
    path = put(tmp_path / ".openclaw" / "agents" / "main" / "sessions" / "a.jsonl", b"\0\n" + SAID)
    assert formats.identify(path) == "openclaw"
    assert MemorySource.read(OpenClaw(), path).info.source_id == "a"


def test_every_format_is_declared_once_and_is_read_or_written(tmp_path: Path) -> None:
    formats = standard_formats(tmp_path, {})
    assert len({format.name for format in FORMATS}) == len(FORMATS)
    assert all(format.reader or format.writer for format in FORMATS)
    assert {name: formats.ending(name) for name in formats.export_names()} == {
        "pi": "jsonl",
        "html": "html",
        "markdown": "md",
        "json": "json",
    }
    assert [format.name for format in FORMATS if formats.has_unique_ids(format.name)] == UNIQUE_IDS
    assert not formats.has_unique_ids("stemmata")


# -- files with names of their own -----------------------------------------------------------------------------------


def test_a_folder_of_exports_under_other_names(tmp_path: Path, formats: FormatRegistry) -> None:
    exports = Path(__file__).parents[3] / "data"
    chats = put(tmp_path / "x" / "chats of June.json", (exports / "chatgpt" / "conversations.json").read_bytes())
    talks = put(tmp_path / "x" / "deep" / "B.JSON", (exports / "claude_ai" / "conversations.json").read_bytes())
    named = put(tmp_path / "x" / "a.jsonl")
    for name, data in (
        ("package.json", b'{"name":"x"}'), ("notes.md", b"# Tea\n"), ("empty.json", b""), ("a.png", b"[]"),
        ("node_modules/c.json", chats.read_bytes()), (".git/d.json", chats.read_bytes()), ("sessions.json", b"[]"),
    ):  # fmt: skip
        put(tmp_path / "x" / name, data)
    (tmp_path / "x" / "link.json").symlink_to(chats)
    assert formats.expand(tmp_path / "x")[0] == sorted([named, chats, talks])
    assert formats.session_file(chats) is None  # what is followed is known by its name


@pytest.mark.parametrize("size", [10, 5_000, 500_000])
def test_a_chat_with_long_instructions_in_a_folder(tmp_path: Path, formats: FormatRegistry, size: int) -> None:
    told = {"text": "x" * size}
    chat = put(tmp_path / "Tea.json", ai_studio.chat(*ai_studio.tea(), systemInstruction=told))
    no_chat = {"runSettings": {}, "systemInstruction": told, "textPrompt": {}}
    put(tmp_path / "Form.json", json.dumps(no_chat).encode())
    assert formats.expand(tmp_path)[0] == [chat]


def test_few_files_with_other_names_are_looked_at(
    tmp_path: Path, formats: FormatRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = (Path(__file__).parents[3] / "data" / "chatgpt" / "conversations.json").read_bytes()
    upper = put(tmp_path / "x" / "b.json", data)
    put(tmp_path / "x" / "a" / "c.json", data)
    monkeypatch.setattr("stemmata.formats.registry._OTHERS", 1)
    assert formats.expand(tmp_path / "x") == ([upper], 1)  # the upper ones first
    chats = [put(tmp_path / "x" / "Google AI Studio" / name, data) for name in ("Ale", "Tea")]
    assert formats.expand(tmp_path / "x") == ([*chats, upper], 1)
    monkeypatch.setattr("stemmata.formats.registry.open_source", refused)
    with pytest.raises(UnreadableSourceError, match="contains no session files among the 1 files"):
        formats.expand(tmp_path / "x")


def refused(path: Path) -> None:
    raise UnreadableSourceError(f"No permission to read {path}.")


def test_other_files_of_a_folder_that_may_not_be_read(tmp_path: Path) -> None:
    assert list(other_files(tmp_path / "missing")) == []


def test_a_folder_of_parts_stands_for_their_sessions(tmp_path: Path, formats: FormatRegistry) -> None:
    session = put(tmp_path / "s1.jsonl", CLAUDE)
    put(tmp_path / "s1" / "subagents" / "agent-a1.jsonl", CLAUDE)
    put(tmp_path / "s1" / "subagents" / "agent-a2.jsonl", CLAUDE)
    assert formats.expand(tmp_path / "s1" / "subagents")[0] == [session]


def test_the_samples_of_exports_are_found(samples: Path, formats: FormatRegistry) -> None:
    for folder, source in (("chatgpt", "chatgpt"), ("claude-ai", "claude-ai"), ("open-webui", "open-webui"),
                           ("aider", "aider"), ("continue", "continue")):  # fmt: skip
        found = formats.expand(samples / folder)[0]
        assert {formats.identify(path) for path in found} == {source}, folder
        wanted = {path for path in (samples / folder).iterdir() if path.suffix in (".json", ".md")}
        assert set(found) == {path for path in wanted if path.name != "README.md"}


def test_readers_without_companions_are_not_asked_for_each_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_: object) -> None:
        raise AssertionError

    for method in ("main_file", "is_companion"):
        monkeypatch.setattr(SingleFileFormat, method, asked)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{}\n")
    registry = standard_formats(tmp_path, {})
    assert registry.expand(tmp_path)[0] == [path]
    assert registry.session_file(path) == path
