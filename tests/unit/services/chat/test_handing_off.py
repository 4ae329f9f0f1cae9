"""A session is handed over to another tool as a new file of that tool, which the tool's own reader reads back."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall
from stemmata.domain.errors import KnownError, NotFoundError, NothingToDoError
from stemmata.domain.requests.hand_off import Extent, size_of
from stemmata.domain.requests.message_normalizer import CallResult, Reply, UserMessage
from stemmata.domain.sessions.lineage import Lineage
from stemmata.domain.sessions.session import SessionTree
from stemmata.services.chat.handing_off import HandingOff, HandOff, command_line, write_new
from stemmata.services.compaction.request import CompactionRequest
from tests.unit.services.conftest import Bench, Records


def asked(session_tree: SessionTree, tool: str, **facts: object) -> HandOff:
    leaf = session_tree.session.leaf
    assert leaf is not None
    return HandOff(session=session_tree.session.key, entry=leaf, tool=tool, **facts)  # type: ignore[arg-type]


def texts_of(bench: Bench, path: Path) -> list[str]:
    """Import the written file and return the texts of its active path."""
    report = bench.services.importing.import_paths([path]).result()
    assert (report.skipped_files, [one.skipped for one in report.sessions]) == ((), [()])
    found = bench.services.sessions.open(report.sessions[0].key).result()
    keys = [found.tree.key(at) for at in found.tree.path(found.tree.get(found.session.leaf))]
    bodies = bench.services.entries.bodies(keys).result()
    return [block.text for key in keys for block in bodies[key].blocks if hasattr(block, "text")]


@pytest.mark.parametrize("tool", ["claude-code", "codex", "pi"])
def test_the_whole_path_is_read_back_by_the_tools_reader(bench: Bench, long: SessionTree, tool: str) -> None:
    handing_off = bench.services.handing_off
    shown = handing_off.preview(asked(long, tool)).result()
    assert (shown.size.messages, shown.size.calls, shown.lost) == (9, 3, ())
    done = handing_off.write(asked(long, tool)).result()
    assert done.cwd == "/w"
    assert done.path.is_relative_to(bench.folder / "home")
    assert done.path.stat().st_mode & 0o077 == 0
    assert str(done.path) in done.command or done.path.stem.endswith(done.command[-1])
    assert [path.name for path in done.path.parent.iterdir()] == [done.path.name], "no part of a file is left"
    texts = texts_of(bench, done.path)
    assert texts[0].endswith(" 1")
    assert texts[-1] == "Done with 9."
    assert len([text for text in texts if text.startswith("Done with")]) == 3


@pytest.mark.parametrize("tool", ["claude-code", "codex", "pi"])
def test_the_session_of_the_tool_is_below_the_one_that_was_handed_over(
    bench: Bench, long: SessionTree, tool: str
) -> None:
    done = bench.services.handing_off.write(asked(long, tool)).result()
    report = bench.services.importing.import_paths([done.path]).result()
    sessions = {session.key: session for session in bench.services.sessions.all().result()}
    new = sessions[report.sessions[0].key]
    assert new.parent == long.session.key
    assert Lineage(sessions.values()).after(sessions[long.session.key]) == new
    bench.services.importing.import_paths([done.path]).result()
    assert bench.services.sessions.open(new.key).result().session.parent == long.session.key, "also when read again"


def test_a_session_of_another_tool_gets_the_id_of_its_file_in_pi(bench: Bench) -> None:
    """pi's file names its session as the command that continues it does, whichever tool it came from."""
    source = Path(__file__).parents[3] / "data" / "claude_code" / "7d1f0a34-0c2b-4b8e-8f5c-5a2e9b6d4c01.jsonl"
    origin = bench.services.importing.import_paths([source]).result().sessions[0].key
    done = bench.services.handing_off.write(asked(bench.services.sessions.open(origin).result(), "pi")).result()
    header = json.loads(done.path.read_bytes().partition(b"\n")[0])
    assert done.path.stem.endswith(f"_{header['id']}")
    (new,) = bench.services.importing.import_paths([done.path]).result().sessions
    assert bench.services.sessions.open(new.key).result().session.parent == origin


def test_a_hand_off_from_a_session_that_was_deleted_since_is_imported_alone(bench: Bench, long: SessionTree) -> None:
    done = bench.services.handing_off.write(asked(long, "claude-code")).result()
    bench.services.sessions.delete([long.session.key]).result()
    report = bench.services.importing.import_paths([done.path]).result()
    assert bench.services.sessions.open(report.sessions[0].key).result().session.parent is None


@pytest.mark.parametrize("tool", ["claude-code", "codex"])
def test_the_context_begins_with_the_summary(bench: Bench, long: SessionTree, tool: str) -> None:
    key, leaf = long.session.key, long.session.leaf
    assert leaf is not None
    bench.services.compaction.run(CompactionRequest(session=key, leaf=leaf, text="What was said.")).result()
    compacted = bench.reopened(long)
    shown = bench.services.handing_off.preview(asked(compacted, tool, extent=Extent.CONTEXT)).result()
    assert str(shown.lost[-1]) == "the messages that the last summary has replaced"
    done = bench.services.handing_off.write(asked(compacted, tool, extent=Extent.CONTEXT)).result()
    texts = texts_of(bench, done.path)
    assert "What was said." in texts[0]
    assert texts[-1] == "Done with 9."
    whole = bench.services.handing_off.preview(asked(compacted, tool)).result()
    assert whole.size.messages == 9
    assert [str(one) for one in whole.lost] == ["the summaries: the tool gets the messages that they have replaced"]
    assert bench.services.handing_off.preview(asked(compacted, "pi")).result().lost == ()
    brief = bench.services.handing_off.brief(key, compacted.session.leaf or 0).result()
    assert "What was said" in brief or "Done with 9" in brief


@pytest.mark.parametrize("tool", ["claude-code", "codex", "pi"])
def test_a_brief_is_one_message(bench: Bench, long: SessionTree, tool: str) -> None:
    handing_off = bench.services.handing_off
    shown = handing_off.preview(asked(long, tool, extent=Extent.BRIEF)).result()
    assert shown.size.messages == 1
    assert "src/file1.py" in shown.brief
    assert [str(one) for one in shown.lost] == ["the messages themselves: the tool gets only the brief"]
    done = handing_off.write(
        asked(long, tool, extent=Extent.BRIEF, brief="Go on with lanes.", cwd="/elsewhere")
    ).result()
    assert done.cwd == "/elsewhere"
    (text,) = texts_of(bench, done.path)
    assert text.endswith("Go on with lanes.")
    assert handing_off.preview(asked(long, tool, extent=Extent.BRIEF, brief="Mine.")).result().brief == "Mine."


def test_what_the_tool_does_not_get(bench: Bench, talk: Records) -> None:
    rows = [
        ("1", None, "user", "a"),
        ("2", "1", "assistant", "b"),
        ("3", "1", "assistant", "c"),
        ("4", "3", "user", "d"),
    ]
    lines = talk("s", *rows)
    thinking = {"type": "thinking", "thinking": "hm", "thinkingSignature": ""}
    lines[3]["message"]["content"].insert(0, thinking)  # type: ignore[index]
    lines[3]["message"]["stopReason"] = "aborted"  # type: ignore[index]
    session_tree = bench.imported(lines)
    lost = [str(one) for one in bench.services.handing_off.preview(asked(session_tree, "codex")).result().lost]
    assert lost == [
        "1 other branch stays here",
        "1 reply that was interrupted",
        "thinking that another model has not signed or cannot read",
    ]
    more = bench.imported([*talk("t", *rows, ("5", "1", "assistant", "e"), ("6", "4", "assistant", "f"))], "t.jsonl")
    lost = [str(one) for one in bench.services.handing_off.preview(asked(more, "codex")).result().lost]
    assert lost == ["2 other branches stay here"]


def test_two_interrupted_replies_are_counted(bench: Bench, talk: Records) -> None:
    rows = [
        ("1", None, "user", "a"),
        ("2", "1", "assistant", "b"),
        ("3", "2", "user", "c"),
        ("4", "3", "assistant", "d"),
    ]
    lines = talk("s", *rows)
    for at in (2, 4):
        lines[at]["message"]["stopReason"] = "aborted"  # type: ignore[index]
    shown = bench.services.handing_off.preview(asked(bench.imported(lines), "codex")).result()
    assert [str(one) for one in shown.lost] == ["2 replies that were interrupted"]


def test_what_cannot_be_handed_over(bench: Bench, long: SessionTree, talk: Records) -> None:
    handing_off = bench.services.handing_off
    with pytest.raises(NotFoundError, match="cannot be handed over to llm"):
        handing_off.write(asked(long, "llm")).result()
    lines = talk("t", ("1", None, "user", "a"))
    homeless = bench.imported([lines[0] | {"cwd": ""}, lines[1]], "t.jsonl")
    with pytest.raises(KnownError, match="no folder"):
        handing_off.write(asked(homeless, "codex")).result()
    assert handing_off.write(asked(homeless, "codex", cwd="/w")).result().cwd == "/w"
    stamp = "2026-01-01T00:00:00.000Z"
    level: dict[str, object] = {
        "type": "thinking_level_change",
        "id": "1",
        "parentId": None,
        "timestamp": stamp,
        "thinkingLevel": "high",
    }
    silent = bench.imported([*talk("u"), level], "u.jsonl")
    for extent, words in ((Extent.WHOLE, "no message"), (Extent.BRIEF, "the context is empty")):
        with pytest.raises(NothingToDoError, match=words):
            handing_off.preview(asked(silent, "codex", extent=extent)).result()


def test_tools_and_their_commands(bench: Bench, long: SessionTree) -> None:
    tools = bench.services.handing_off.tools()
    assert tools["claude-code"] == ("Claude Code", tuple(Extent))
    assert tools["pi"] == ("pi", (Extent.WHOLE, Extent.BRIEF))
    assert bench.services.handing_off.resume_command(long.session) == ("pi", "--session", long.session.path)
    formats = bench.services.formats
    assert formats.resume_command("claude-code", "1-2", "") == ("claude", "--resume", "1-2")
    assert formats.resume_command("pi", "1", "") == ()
    assert formats.resume_command("claude-code", "", "/x") == ()
    assert formats.resume_command("chatgpt", "1", "/x") == ()
    assert formats.resume_command("nothing", "1", "/x") == ()
    assert (formats.title("codex"), formats.title("nothing")) == ("Codex", "nothing")


def test_a_subagent_goes_on_where_its_tool_can_do_that(bench: Bench) -> None:
    formats = bench.services.formats
    assert formats.resume_command("opencode", "ses_a/ses_b", "") == ("opencode", "--session", "ses_b")
    assert formats.resume_command("amp", "T-1/T-2", "") == ("amp", "threads", "continue", "T-2")
    assert formats.resume_command("claude-code", "1/agent-2", "") == ()


def test_the_details_of_a_session_can_say_that_it_is_a_subagents(bench: Bench, long: SessionTree) -> None:
    """Gemini CLI and Hermes give the session of a subagent an id of its own."""
    details = '{"kind":"subagent"}'
    for source, command in (("gemini", ()), ("hermes", ("hermes", "--resume", "s"))):
        agent = replace(long.session, source=source, source_id="s", details=details)
        assert bench.services.handing_off.resume_command(agent) == command
        assert bench.services.handing_off.resume_command(replace(agent, details="")) == (source, "--resume", "s")


def test_an_id_cannot_be_an_option(bench: Bench) -> None:
    """Ids come from files that anybody may have written."""
    formats = bench.services.formats
    assert formats.resume_command("amp", "--dangerously-allow-all", "") == ()
    assert formats.resume_command("amp", "T-1/-x", "") == ()


def test_a_file_is_new_and_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "a.jsonl"
    write_new(path, iter([b"1\n", b"2\n"]))
    assert path.read_bytes() == b"1\n2\n"
    with pytest.raises(KnownError, match="Could not write"):
        write_new(path, iter([b"other"]))
    assert path.read_bytes() == b"1\n2\n", "no file is replaced"

    def failing() -> object:
        yield b"half"
        raise OSError(28, "No space left on device")

    with pytest.raises(KnownError, match="No space left"):
        write_new(tmp_path / "b.jsonl", failing())  # type: ignore[arg-type]
    assert sorted(os.listdir(tmp_path)) == ["folder"]


def test_codex_gets_the_provider_that_it_is_set_to(bench: Bench, long: SessionTree) -> None:
    config = bench.folder / "home" / ".codex" / "config.toml"
    config.parent.mkdir(parents=True)
    for text, provider in (
        ('model_provider = "local"', "local"),
        ("model_provider = 3", "openai"),
        ("no toml [", "openai"),
    ):
        config.write_text(text)
        done = bench.services.handing_off.write(asked(long, "codex")).result()
        assert json.loads(done.path.read_text().splitlines()[0])["payload"]["model_provider"] == provider


def test_claude_code_sees_which_model_wrote_a_reply(bench: Bench, talk: Records) -> None:
    rows = [
        ("1", None, "user", "a"),
        ("2", "1", "assistant", "b"),
        ("3", "2", "assistant", "c"),
        ("4", "3", "user", "d"),
    ]
    lines = talk("s", *rows, ("5", "4", "assistant", "e"))
    for at in (2, 3):
        lines[at]["message"]["model"] = "claude-opus-4-5"  # type: ignore[index]
    done = bench.services.handing_off.write(asked(bench.imported(lines), "claude-code")).result()
    written = [json.loads(line) for line in done.path.read_text().splitlines()]
    models = [line["message"]["model"] for line in written if line["type"] == "assistant"]
    assert models == ["claude-opus-4-5", "<synthetic>"]
    assert [line["parentUuid"] for line in written[:4]] == [None, *(line["uuid"] for line in written[:3])]
    assert {line["sessionId"] for line in written} == {done.path.stem}


def test_the_size_counts_pictures_but_no_thinking() -> None:
    said = UserMessage((Text("look"), Image("image/png", "b", 3)))
    size = size_of(
        [said, Reply((Thinking("hm"), ToolCall("1", "read", "{}"))), CallResult("1", "read", (Text("abcd"),))]
    )
    assert (size.messages, size.calls, size.tokens) == (2, 1, 1204)


def test_a_model_may_write_the_brief(bench: Bench, long: SessionTree) -> None:
    class Writing:
        def by_model(self, request: CompactionRequest) -> CompactionRequest:
            assert (request.session, request.leaf, request.whole) == (long.session.key, long.session.leaf, True)
            return replace(request, text="Written by a model.")

    services = bench.services
    writing: Any = Writing()
    handing_off = HandingOff(bench.archive, lambda: services.formats, lambda: writing, services.clock)
    assert (
        handing_off.brief(long.session.key, long.session.leaf or 0, by_model=True).result() == "Written by a model."
    )


def test_a_session_without_a_title_gets_none(bench: Bench, talk: Records) -> None:
    for name, text in (("s", "Fix lanes"), ("t", "```")):
        session_tree = bench.imported(talk(name, ("1", None, "user", text)), f"{name}.jsonl")
        written = bench.services.handing_off.write(asked(session_tree, "claude-code")).result().path.read_text()
        assert ("custom-title" in written) == (text == "Fix lanes")


def test_the_line_for_a_shell_quotes_what_needs_it() -> None:
    assert command_line(("pi", "--session", "a b"), "/w x") == "cd '/w x' && pi --session 'a b'"
    assert command_line(("codex", "resume", "1"), "") == "codex resume 1"
