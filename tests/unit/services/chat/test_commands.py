"""Commands typed as a message: what each does, what it answers, and that none is ever sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.domain.chat.run import Phase
from stemmata.domain.entries.blocks import Text, plain_text
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Flag, Kind, Usage
from stemmata.domain.entries.figures import UNKNOWN, Figure
from stemmata.domain.errors import KnownError, NothingToDoError
from stemmata.domain.sessions.details import verbosity_of
from stemmata.domain.sessions.session import SessionTree
from stemmata.domain.text.phrases import translated
from stemmata.services.chat.command_table import COMMANDS, UnknownCommandError, begun, literal, typed
from stemmata.services.chat.commands import CommandAnswer
from stemmata.services.chat.compaction_notices import figure_text, share_text
from tests.fakes.scripted_provider import Gate, ScriptedBench
from tests.fakes.scripted_provider import said as reply
from tests.fakes.waiting import PATIENCE
from tests.unit.services.conftest import Bench, Records


def answer(chat: ScriptedBench, session: int | None, text: str) -> CommandAnswer:
    return chat.services.commands.run(session, text).result(PATIENCE)


@pytest.fixture
def spoken(chat: ScriptedBench) -> int:
    session = chat.session()
    chat.services.sessions.set_manual_compaction(session, on=True).result()  # else its notes come among the answers
    chat.talk(session, "Hello", reply(Text("Hi there"), usage=Usage(input=100, cache_read=300, output=20)))
    return session


@pytest.fixture
def long(bench: Bench, talk: Records) -> SessionTree:
    rows = [
        (str(at), str(at - 1) if at > 1 else None, ("assistant", "user")[at % 2], "Words. " * 600)
        for at in range(1, 13)
    ]
    return bench.imported(talk("s", *rows))


def test_a_path_and_two_lines_are_messages() -> None:
    assert [typed(text) for text in ("/usr/bin", "/status\nmore", "Hello", "//status", "/", "")] == [None] * 6
    found = typed(" /Compact  the plan ")
    assert found is not None
    assert (found.name, found.rest) == ("compact", "the plan")
    assert [literal(text) for text in ("//status", "/status", "a//b")] == ["/status", "/status", "a//b"]


def test_what_may_be_meant_is_offered(chat: ScriptedBench) -> None:
    assert [found.name for found in begun("/c")] == ["clear", "compact", "context"]
    assert begun("/c ") == begun("c") == ()
    with pytest.raises(UnknownCommandError, match="Did you mean /status") as caught:
        answer(chat, None, "/staus")
    assert caught.value.nearest == "status"
    with pytest.raises(UnknownCommandError, match=r"Unknown command /zzzzz\. /help"):
        answer(chat, None, "/zzzzz")


def test_status_is_a_note_that_is_never_sent(chat: ScriptedBench, spoken: int) -> None:
    told = answer(chat, spoken, "/status")
    assert "- Tokens of the active path: 400 in / 20 out" in told.text
    assert "- Cache: 75% read" in told.text
    assert "- Context: 420/1k (42%)" in told.text
    row, body = next(found for found in chat.path(spoken) if found[0].key == told.note)
    assert row.flags & Flag.EXCLUDED
    assert (row.name, plain_text(body.blocks)) == ("note", told.text)
    assert "- Context: 420/1k (42%)" in answer(chat, spoken, "/status").text  # the note does not count
    chat.talk(spoken, "And now?", reply(Text("Now")))
    assert "Tokens" not in str(chat.provider.requests[-1])


def test_help_lists_every_command(chat: ScriptedBench, spoken: int) -> None:
    told = answer(chat, spoken, "/help").text
    assert all(f"`{command.usage}` {command.help}" in told for command in COMMANDS)
    assert answer(chat, None, "/help").note is None


def test_commands_work_while_a_reply_comes(chat: ScriptedBench) -> None:
    session, gate = chat.session(), Gate()
    chat.provider.scripts.append(reply(Text("before"), gate, Text("after")))
    chat.send(session, "Go")
    gate.reached.result(PATIENCE)
    assert "- Run: streaming" in answer(chat, session, "/status").text
    told = answer(chat, session, "/abort").text
    assert told.startswith("Stopped.")
    assert chat.runs.state(session).phase is Phase.IDLE
    assert any("before" in line for line in chat.told(session))
    assert answer(chat, session, "/abort").text == "No reply is running."


def test_new_and_fork_open_another_session(chat: ScriptedBench, spoken: int) -> None:
    new = answer(chat, None, "/new").session
    assert new is not None
    assert answer(chat, spoken, "/clear").session not in (None, spoken, new)
    forked = answer(chat, spoken, "/fork")
    assert forked.session is not None
    assert chat.told(forked.session)[:2] == ["user: Hello", "assistant: Hi there"]
    with pytest.raises(NothingToDoError, match="empty"):
        answer(chat, new, "/fork")
    with pytest.raises(NothingToDoError, match="needs a session"):
        answer(chat, None, "/status")


@pytest.mark.parametrize("name", ["new", "clear"])
def test_the_session_that_is_left_names_the_new_one(chat: ScriptedBench, spoken: int, name: str) -> None:
    told = answer(chat, spoken, f"/{name}")
    assert told.session is not None
    made = chat.services.sessions.get(told.session).result()
    assert told.text == f"Continued in the new session {made.id}."
    [body] = [body for row, body in chat.path(spoken) if row.key == told.note]
    assert plain_text(body.blocks) == told.text
    assert made.leaf is None
    again = answer(chat, told.session, f"/{name}")  # an empty session gets no note
    assert (again.text, again.note) == ("", None)
    assert chat.services.sessions.get(told.session).result().leaf is None


def test_a_label_hangs_from_what_was_said(chat: ScriptedBench, spoken: int) -> None:
    answer(chat, spoken, "/status")
    answer(chat, spoken, "/label good point")
    tree = chat.services.sessions.open(spoken).result().tree
    [(entry, label)] = tree.labels.items()
    assert (label, tree.key(entry)) == ("good point", chat.path(spoken)[1][0].key)
    assert answer(chat, spoken, "/name A talk").text == "The session is called “A talk”."
    assert chat.services.sessions.get(spoken).result().title == "A talk"
    assert answer(chat, spoken, "/name").text == "The session is called “A talk”."
    assert chat.services.sessions.get(spoken).result().named


def test_levels_are_those_there_are(chat: ScriptedBench, spoken: int) -> None:
    assert answer(chat, spoken, "/think").text == "Thinking: off"
    assert answer(chat, spoken, "/think high").text == "Thinking: high"
    assert answer(chat, spoken, "/think").text == "Thinking: high"
    with pytest.raises(KnownError, match="Available: off, low"):
        answer(chat, spoken, "/think hardest")


def test_how_much_is_told_is_chosen_by_session(chat: ScriptedBench, spoken: int) -> None:
    assert answer(chat, spoken, "/verbose").text.startswith("Verbosity: on.")
    assert answer(chat, spoken, "/verbose FULL").text == "Verbosity: full. The output of tools is shown as well."
    assert "- Verbosity: full" in answer(chat, spoken, "/status").text
    assert answer(chat, spoken, "/verbose off").text.startswith("Verbosity: off.")
    with pytest.raises(KnownError, match="one of these levels: off, on, full"):
        answer(chat, spoken, "/verbose loud")
    made = answer(chat, spoken, "/reset").session
    assert made is not None
    assert verbosity_of(chat.services.sessions.get(made).result().details) == "off"


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("/verbose f", ["full"]),
        ("/think h", ["high"]),
        ("/export mark", ["markdown"]),
        ("/think z", []),
        ("/label a", []),
        ("Hello", []),
    ],
)
def test_what_stands_behind_is_completed(chat: ScriptedBench, text: str, offered: list[str]) -> None:
    assert [choice.text for choice in chat.services.commands.complete(text).result(PATIENCE)] == offered


def test_sessions_are_completed_by_id_and_title(chat: ScriptedBench, spoken: int) -> None:
    session = chat.services.sessions.get(spoken).result()
    for start in ("", session.id[:3], "hell"):
        [choice] = chat.services.commands.complete(f"/resume {start}").result(PATIENCE)
        assert (choice.text, choice.help) == (session.id, "Hello")


def test_export_writes_a_file_once(chat: ScriptedBench, spoken: int, tmp_path: Path) -> None:
    target = tmp_path / "a talk.md"
    assert "bytes written" in answer(chat, spoken, f"/export markdown {target}").text
    assert "Hi there" in target.read_text(encoding="utf-8")
    with pytest.raises(KnownError, match="already exists"):
        answer(chat, spoken, f"/export markdown {target}")
    with pytest.raises(KnownError, match="Give a format and a file"):
        answer(chat, spoken, "/export")


def test_an_answer_is_kept_in_the_language_that_is_asked_for(chat: ScriptedBench, spoken: int) -> None:
    def german(text: str) -> str:
        words = {"Run: {0}": "Lauf: {0}", "idle": "ruht", "Compactions: {0}": "Verdichtungen: {0}"}
        return translated(text, lambda found: words.get(found, found), str)

    told = chat.services.commands.run(spoken, "/status", german).result(PATIENCE)
    assert "- Lauf: ruht" in told.text
    assert "- Verdichtungen: 0" in told.text
    assert told.note is not None
    body = chat.services.entries.bodies([told.note]).result()[told.note]
    assert plain_text(body.blocks) == told.text
    assert "- Run: idle" in answer(chat, spoken, "/status").text


def test_the_context_and_the_branches_are_told(chat: ScriptedBench, spoken: int) -> None:
    assert answer(chat, spoken, "/context").text.startswith("📊 Context: 420/1k (42%)")
    assert "**here**" in answer(chat, spoken, "/tree").text


def test_branches_in_the_trash_are_not_told(chat: ScriptedBench, spoken: int) -> None:
    question = chat.path(spoken)[0][0].key
    chat.services.branching.trash(spoken, question, on=True).result()
    assert answer(chat, spoken, "/tree").text == "The session is empty."


def test_a_compaction_tells_what_it_did(chat: ScriptedBench, long: SessionTree) -> None:
    told = answer(chat, long.session.key, "/compact the plan")
    lines = told.text.splitlines()
    assert lines[0].startswith("⚙️ Compacted (")
    assert any(line.startswith("- 📝 Summary: ") for line in lines)
    assert lines[-2].startswith("- 📊 Total: ")
    assert lines[-1] == "- Summary: the digest, at no cost."
    path = chat.path(long.session.key)
    assert [row.kind for row, _ in path[-2:]] == [Kind.COMPACTION, Kind.CUSTOM_MESSAGE]
    assert '"focus": "the plan"' in path[-2][1].details


def test_a_compaction_tells_what_the_tools_that_are_kept_take(
    bench: Bench, chat: ScriptedBench, talk: Records
) -> None:
    rows = [(str(at), str(at - 1) if at > 1 else None, ("assistant", "user")[at % 2], "Words. " * 600)
            for at in range(1, 5)]  # fmt: skip
    tools = [("5", "4", "user", "Go"), ("6", "5", "call", "a.py"), ("7", "6", "toolResult", "x" * 2_000)]
    session = bench.imported(talk("t", *rows, *tools)).session.key
    told = answer(chat, session, "/compact").text
    after = chat.services.sessions.open(session).result()
    [compaction] = after.tree.of_kind(Kind.COMPACTION)
    parts = chat.services.contexts.seen(after, compaction).breakdown.categories
    calls = sum(parts[part].value or 0 for part in (Category.TOOL_CALLS, Category.TOOL_RESULTS))
    assert calls > 20
    assert f"- 🛠️ Tools: ≈ {calls} tokens (0 defs + ≈ {calls} calls)" in told.splitlines()


def test_figures_that_are_not_known_are_dashes() -> None:
    assert share_text(UNKNOWN, 1000) == figure_text(UNKNOWN) == "—"
    assert share_text(Figure.estimated(500), None) == "≈ 500"
    assert share_text(Figure.reported(500), 1000) == "500/1k (50%)"


def test_pruning_tells_what_it_did(bench: Bench, chat: ScriptedBench, talk: Records) -> None:
    rows = [("1", None, "user", "Read"), ("2", "1", "call", "a"), ("3", "2", "toolResult", "Long. " * 200)]
    session = bench.imported(talk("t", *rows)).session.key
    lines = answer(chat, session, "/prune").text.splitlines()
    assert lines[0].startswith("🔧 Tool outputs pruned (≈ 300 → ")
    assert lines[0].endswith("%)")
    assert lines[1].startswith("- 📊 Context: ")


def test_only_duplicates_are_pruned_when_asked_so(bench: Bench, chat: ScriptedBench, talk: Records) -> None:
    rows = [("1", None, "user", "Read"), ("2", "1", "call", "a"), ("3", "2", "toolResult", "Long. " * 200)]
    session = bench.imported(
        talk("t", *rows, ("4", "3", "call", "a"), ("5", "4", "toolResult", "New. " * 200))
    ).session.key
    with pytest.raises(NothingToDoError, match="Unknown word “all”"):
        answer(chat, session, "/prune all")
    lines = answer(chat, session, "/prune duplicates").text.splitlines()
    assert lines[0].startswith("🔧 Tool outputs pruned (≈ 550 → ≈ 251")
    with pytest.raises(NothingToDoError, match="replaced by a later one"):
        answer(chat, session, "/prune duplicates")


def test_a_session_that_fits_is_resumed_whole(chat: ScriptedBench, spoken: int) -> None:
    name = chat.services.sessions.get(spoken).result().id
    told = answer(chat, None, f"/resume {name}")
    assert told.session == spoken
    assert told.text == "Resumed in full: the session fills 42% of the window; the limit is 70%."
    assert chat.path(spoken)[-1][0].key == told.note


def test_a_session_that_does_not_fit_goes_on_from_its_summary(chat: ScriptedBench, long: SessionTree) -> None:
    services = chat.services
    services.contexts.settings = services.contexts.settings._replace(resume_token_budget=5)
    told = answer(chat, None, f"/resume {long.session.id}")
    assert told.session not in (None, long.session.key)
    assert told.session is not None
    assert told.text.startswith("Resumed from a summary in a new session")
    assert services.sessions.get(told.session).result().parent == long.session.key
    assert services.sessions.get(long.session.key).result().leaf == long.session.leaf
    assert chat.path(told.session)[0][0].kind is Kind.COMPACTION


def test_a_model_of_unknown_window_is_resumed_whole(bench: Bench, chat: ScriptedBench, talk: Records) -> None:
    session = bench.imported(talk("u", ("1", None, "user", "Hello"))).session
    assert "window is unknown" in answer(chat, None, f"/resume {session.id}").text
