"""Aider's chat histories: runs, who said what, usage, growth, where they lie, samples."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stemmata.domain.entries.blocks import Text, Thinking, plain_text
from stemmata.domain.entries.entry import Flag, Kind, Role, Usage
from stemmata.domain.errors import NotFoundError, RereadError
from stemmata.domain.sources.reading import Begin, End, ReadEvent, Unchanged, UnusedPart
from stemmata.formats.aider import history
from stemmata.formats.aider.format import AIDER
from stemmata.formats.aider.places import histories
from stemmata.formats.aider.reader import Aider
from stemmata.formats.registry import standard_formats
from tests.fakes.aider import HISTORY, lost, printed, run, said, talk, tokens, typed
from tests.fakes.export_source import MemorySource

TAG = "thinking-content-7bbeb8e1441453ad999a0bbba8a46d4b"


@pytest.fixture(autouse=True)
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def put(folder: Path, content: str | bytes, name: str = HISTORY) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def sessions(path: Path) -> list[MemorySource]:
    """The sessions of a file, one source for each."""
    out: list[list[ReadEvent]] = []
    for event in Aider().read(path, None):
        if isinstance(event, Begin):
            out.append([])
        out[-1].append(event)
    found = [MemorySource() for _ in out]
    for source, events in zip(found, out, strict=True):
        source.take(iter(events))
    return found


def one(folder: Path, *parts: str) -> MemorySource:
    [found] = sessions(put(folder, run("08:00:00", *parts)))
    return found


def test_each_run_is_a_session(tmp_path: Path) -> None:
    path = put(tmp_path, talk())
    first, second = sessions(path)
    assert re.fullmatch(r"[0-9a-f]{12}#2026-01-01 08:00:00", first.info.source_id)
    assert sessions(put(tmp_path / "b", talk()))[0].info.source_id != first.info.source_id
    assert (first.info.source, first.info.cwd) == ("aider", str(tmp_path))
    assert first.info.created_at == 1_767_254_400 * 10**9
    assert first.source_bytes + second.source_bytes == path.read_bytes()
    assert [entry.name or entry.role.text for entry in first.entries] == [
        "aider:start", "aider:command", "aider:output", "user", "assistant", "aider:output", "user", "aider:output",
        "assistant", "aider:command", "aider:output", "user", "assistant",
    ]  # fmt: skip
    assert all((entry.kind is Kind.CUSTOM) == bool(entry.name) for entry in first.entries)
    assert [plain_text(entry.blocks) for entry in first.entries[3:5]] == [
        "Which tea?\n\nSay one.", "# Tea\n\n> Sencha is green.\n\n```\nx\n```",
    ]  # fmt: skip
    assert first.entries[4].model == "tea/sencha"
    assert first.entries[4].usage == Usage(2_100, 300, cost=1_200)
    assert [entry.time > 0 for entry in first.entries[:3]] == [True, True, False]
    assert second.entries[2].usage == Usage(12_000, 1_200)
    assert (second.leaf_id, second.info.parent_source_id) == (second.entries[-1].id, "")
    assert first.record(3) == b"#### Which tea?  \n####  \n#### Say one.  "
    assert not lost(path.read_bytes(), Aider().read(path, None))


def test_a_stopped_reply_and_a_cleared_context(tmp_path: Path) -> None:
    first, _ = sessions(put(tmp_path, talk()))
    replies = [entry for entry in first.entries if entry.role is Role.ASSISTANT]
    assert [entry.flags for entry in replies] == [Flag.ENDS_TURN, Flag.ABORTED, Flag.ENDS_TURN]
    roots = [plain_text(entry.blocks) for entry in first.entries if entry.parent is None]
    assert [root.splitlines()[0] for root in roots] == ["Aider v0.86.2", "Anew?"]
    stopped = one(tmp_path / "b", typed("Tea?"), said("Sen"), printed("^C KeyboardInterrupt"))
    assert stopped.entries[2].flags is Flag.ABORTED


def test_commands_are_no_prompts(tmp_path: Path) -> None:
    source = one(tmp_path, typed("!ls"), typed("<blank>"), typed("/ask Tea?"), typed("Tea?"), typed(""))
    assert [entry.name for entry in source.entries[1:]] == [
        "aider:command", "aider:command", "aider:command", "", "aider:command",
    ]  # fmt: skip


def test_thinking(tmp_path: Path) -> None:
    whole, cut = f"<{TAG}>\n\nHm.\n\n</{TAG}>\n\nSencha.", f"Well <{TAG}>\nHm"
    source = one(tmp_path, typed("Tea?"), said(whole), typed("Cake?"), said(cut))
    assert source.entries[2].blocks == (Thinking("Hm."), Text("Sencha."))
    assert source.entries[4].blocks == (Text("Well "), Thinking("Hm"))


def test_models_tokens_and_costs(tmp_path: Path) -> None:
    cached = "Tokens: 8.1k sent, 2.1k cache write, 5k cache hit, 1.5M received."
    source = one(
        tmp_path, typed("a"), said("b"), printed(cached, "Cost: $0.03 message, $0.10 session."),
        typed("/model x"), printed("Model: x/y, with ask edit format", "Tokens: 9.9.9k sent, 1 received."),
        typed("c"), said("d"), tokens("5", "1", "Cost: $9999999 message"), typed("e"), said("f"),
    )  # fmt: skip
    first, second, third = (entry for entry in source.entries if entry.role is Role.ASSISTANT)
    assert first.usage == Usage(1_000, 1_500_000, 5_000, 2_100, cost=30_000)
    assert (second.usage, second.model) == (Usage(5, 1), "x/y")
    assert third.usage is None


def test_a_file_whose_lines_an_editor_has_trimmed(tmp_path: Path) -> None:
    trimmed = "\n".join(line.rstrip() for line in talk().decode().splitlines())
    first, _ = sessions(put(tmp_path, trimmed))
    assert [plain_text(entry.blocks) for entry in first.entries if entry.role is Role.USER] == [
        "Which tea?\n\nSay one.", "And cake?", "Anew?",
    ]  # fmt: skip
    windows = talk().replace(b"\n", b"\r\n")
    path = put(tmp_path / "w", b"\xef\xbb\xbf" + windows)
    assert [plain_text(entry.blocks) for source in sessions(path) for entry in source.entries] == [
        plain_text(entry.blocks) for source in sessions(put(tmp_path / "l", talk())) for entry in source.entries
    ]
    assert not lost(path.read_bytes(), Aider().read(path, None))


def test_a_command_line_of_several_lines_belongs_to_the_start(tmp_path: Path) -> None:
    text = run("08:00:00", typed("Tea?"), start=("aider --message a\n\nb",))
    [source] = sessions(put(tmp_path, text))
    assert [entry.name for entry in source.entries] == ["aider:start", ""]


def test_a_run_that_took_up_the_conversation_names_the_one_before(tmp_path: Path) -> None:
    restored = "Restored previous conversation history."
    path = put(tmp_path, run("08:00:00", start=(restored,)) + run("09:00:00", start=(restored,)) + run(
        "10:00:00", typed("/ask"), printed(restored)))  # fmt: skip
    first, second, third = sessions(path)
    assert (first.info.parent_source_id, third.info.parent_source_id) == ("", "")
    assert second.info.parent_source_id == first.info.source_id


def test_text_before_the_first_run_and_runs_of_one_second(tmp_path: Path) -> None:
    path = put(tmp_path, "#### Old?  \n\nOld.\n" + run("08:00:00") + run("08:00:00", typed("Tea?")))
    old, one, other = sessions(path)
    assert [source.info.source_id.partition("#")[2] for source in (old, one, other)] == [
        "text", "2026-01-01 08:00:00", "2026-01-01 08:00:00.1",
    ]  # fmt: skip
    assert (old.info.created_at, len(old.entries)) == (0, 2)
    assert len({entry.id for source in (one, other) for entry in source.entries}) == 3
    assert sessions(put(tmp_path / "n", "\n\n")) == []
    [never] = sessions(put(tmp_path / "x", "# aider chat started at 2026-02-31 08:00:00\n#### a  \n"))
    assert never.info.created_at == 0


def test_a_run_that_is_too_large_costs_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "RUN_LIMIT", 200)
    events = list(Aider().read(put(tmp_path, run("08:00:00") + "x\n" * 200 + run("09:00:00", start=())), None))
    assert [type(event) for event in events if isinstance(event, UnusedPart | Begin)] == [UnusedPart, Begin]
    assert events[0] == UnusedPart("run 1", "is too large")
    [only] = Aider().read(put(tmp_path / "o", "y\n" * 200), None)
    assert only == UnusedPart("run 1", "is too large")


def test_a_file_that_has_grown_is_read_from_its_last_run_on(tmp_path: Path) -> None:
    path = put(tmp_path, talk())
    before = [event for event in Aider().read(path, None) if isinstance(event, End)][-1].checkpoint
    assert before is not None
    with path.open("a") as file:
        file.write(tokens() + run("10:00:00", typed("Tea?")))
    events = list(Aider().read(path, before))
    begun = [event.info.source_id.partition("#")[2] for event in events if isinstance(event, Begin)]
    assert begun == ["2026-01-01 09:00:00", "2026-01-01 10:00:00"]
    assert isinstance(events[-1], Unchanged)
    assert events[-1].sessions == 1
    with path.open("a") as file:
        file.write(run("08:00:00"))
    with pytest.raises(RereadError):
        list(Aider().read(path, before))
    path.write_bytes(talk()[:100])
    assert sum(isinstance(event, Begin) for event in Aider().read(path, before)) == 1


def test_what_is_recognised(tmp_path: Path) -> None:
    formats = standard_formats(tmp_path, {})
    assert formats.identify(put(tmp_path, talk(), "notes.md")) == "aider"
    assert formats.identify(put(tmp_path, "#### Old?\n" + talk().decode())) == "aider"
    quoted = b"# How Aider writes\n\n# aider chat started at 2026-01-01 08:00:00\n"
    assert not Aider().sniff(quoted, tmp_path / "page.md")
    assert not Aider().sniff(b"#### a", tmp_path / HISTORY)
    assert AIDER.resume == ()
    with pytest.raises(NotFoundError):
        list(Aider().read(tmp_path / "gone.md", None))


# -- where histories lie -------------------------------------------------------------------------------------------


def workspace(user: Path, url: str, number: int = 1) -> None:
    put(user / "workspaceStorage" / str(number), f'{{"folder":"{url}"}}', "workspace.json")


@pytest.mark.parametrize(
    ("user", "environment"),
    [
        (".config/Code/User", {}),
        ("Library/Application Support/Cursor/User", {}),
        ("roaming/Code/User", {"APPDATA": "{home}/roaming"}),
        ("portable/user-data/User", {"VSCODE_PORTABLE": "{home}/portable"}),
    ],
)
def test_projects_that_editors_have_opened(tmp_path: Path, user: str, environment: dict[str, str]) -> None:
    project = tmp_path / "my tea"
    put(project, talk())
    put(project / "deep", talk())
    workspace(tmp_path / user, f"file://{tmp_path}/my%20tea")
    workspace(tmp_path / user, "vscode-remote://host/tea", 2)
    put(tmp_path / user / "workspaceStorage" / "3", "no JSON", "workspace.json")
    workspace(tmp_path / user, "file:///c%3A/tea", 4)
    put(tmp_path / user / "workspaceStorage" / "5", '{"folder":"file://[/x"}', "workspace.json")
    told = {name: value.format(home=tmp_path) for name, value in environment.items()}
    [found] = standard_formats(tmp_path, told).discover()
    assert (found.source, found.name, found.folder) == ("aider", "Aider", str(project))
    assert (found.files, found.is_of_project) == ((str(project / HISTORY),), True)
    assert Path("c:/tea") / HISTORY in histories(tmp_path, told)


def test_projects_in_the_usual_folders_and_files_that_settings_name(tmp_path: Path) -> None:
    put(tmp_path / "projects" / "tea", talk())
    put(tmp_path / "projects" / "none", "x", "y")
    (tmp_path / "projects" / "link").symlink_to(tmp_path / "projects" / "tea")
    put(tmp_path / "a", talk(), "named.md")
    put(tmp_path / "b", talk(), "set.md")
    put(tmp_path, "dark-mode: true\nchat-history-file: '~/b/set.md'  # mine\n", ".aider.conf.yml")
    formats = standard_formats(tmp_path, {"AIDER_CHAT_HISTORY_FILE": str(tmp_path / "a" / "named.md")})
    assert [found.files for found in formats.discover()] == [
        (str(tmp_path / "a" / "named.md"),), (str(tmp_path / "b" / "set.md"),),
        (str(tmp_path / "projects" / "tea" / HISTORY),),
    ]  # fmt: skip
    relative = standard_formats(tmp_path / "other", {"AIDER_CHAT_HISTORY_FILE": "log.md"})
    assert relative.discover() == []
    assert formats.session_file(tmp_path / HISTORY) == tmp_path / HISTORY


# -- samples ---------------------------------------------------------------------------------------------------------


def test_the_samples_are_read_whole(samples: Path) -> None:
    found = {}
    for path in sorted((samples / "aider").glob("[a-z]*.md")):
        [source] = sessions(path)
        assert not lost(path.read_bytes(), Aider().read(path, None))
        assert source.source_bytes == path.read_bytes()
        roles = [entry.role for entry in source.entries if entry.role]
        found[path.stem] = (roles.count(Role.USER), roles.count(Role.ASSISTANT), source.entries[-2].usage)
    assert found == {
        "interrupted": (2, 2, Usage(897, 203)), "multi_turn": (3, 3, Usage(802, 105)),
        "toolcall": (1, 1, Usage(788, 225)),
    }  # fmt: skip
