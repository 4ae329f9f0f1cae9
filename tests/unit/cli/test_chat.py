"""The command chat against a server on loopback, and what status tells of connections."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import MODEL, connect
from tests.fakes.script import Break, Call, Refuse, Reply, Say
from tests.unit.cli.conftest import Run


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    with AnthropicServer() as running:
        yield running


@pytest.fixture
def connected(server: AnthropicServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AnthropicServer:
    (tmp_path / "p" / "config").mkdir(parents=True)
    connect(tmp_path / "p" / "config", server.url)
    monkeypatch.setenv("STEMMATA_PROFILE", str(tmp_path / "p"))
    return server


def test_a_reply_goes_to_stdout_and_the_session_goes_on(run: Run, connected: AnthropicServer) -> None:
    connected.script(Reply(blocks=(Say("Hello \x1b[31mthere."),)))
    ran = run("chat", "new", "Hi")
    assert (ran.code, ran.out) == (0, "Hello \\x1b[31mthere.\n"), ran.err
    connected.script(Reply(blocks=(Say("Again."),)))
    told = run("chat", "latest", "And now?", "--level", "off", "--model", MODEL, "--json")
    assert told.code == 0
    assert (told.json["reply"], told.json["complete"], told.json["problem"]) == ("Again.", True, None)
    assert run("chat", "latest", "x", "--connection", "nobody").code == 1


def test_a_message_may_be_piped_in(run: Run, connected: AnthropicServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("piped\n"))
    connected.script(Reply(blocks=(Say("Got it."),)))
    assert run("chat", "new").out == "Got it.\n"
    assert b'"piped"' in connected.requests[-1].raw
    monkeypatch.setattr("sys.stdin", io.StringIO(" \n"))
    assert "message is empty" in run("chat", "new").err


def test_a_reply_that_reaches_its_limit_says_so(run: Run, connected: AnthropicServer, tmp_path: Path) -> None:
    with (tmp_path / "p" / "config" / "settings.toml").open("a", encoding="utf-8") as settings:
        settings.write("[chat]\nmax_tokens = 10\n")
    connected.script(*[Reply(blocks=(Say("word " * 100),))] * 2)
    ran = run("chat", "new", "Hi")
    assert (ran.code, ran.err.count("limit of 10 tokens. Ask the model to continue")) == (
        0,
        1,
    ), ran.err
    told = run("chat", "latest", "Hi", "--json").json
    assert (told["complete"], told["problem"]) == (False, None)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(blocks=(Say("I had rather"),), stop="refusal"), "refused to continue"),
        (Reply(blocks=(Say("One,"),), stop="model_context_window_exceeded"), "filled the context window"),
        (Reply(blocks=()), "is empty"),
        (Reply(breaks=Break("eof", 0)), "without a reason"),
    ],
    ids=["refusal", "full", "empty", "before its text"],
)
def test_a_reply_that_is_none_is_an_error(run: Run, connected: AnthropicServer, reply: Reply, words: str) -> None:
    connected.script(reply, reply)
    ran = run("chat", "new", "Hi")
    assert (ran.code, words in ran.err) == (1, True), ran.err
    told = run("chat", "latest", "Hi", "--json")
    assert (told.code, told.json["complete"], words in told.json["problem"]) == (1, False, True)


def test_what_goes_wrong_is_said(run: Run, connected: AnthropicServer, session: Path) -> None:
    connected.script(Refuse(401))
    ran = run("chat", "new", "Hi")
    assert (ran.code, ran.out) == (1, "")
    assert "refused the key" in ran.err
    assert "cannot be continued" in run("chat", session, "Hi").err


def test_without_a_connection_it_says_so(run: Run, profile: Path) -> None:
    ran = run("chat", "new", "Hi")
    assert ran.code == 1
    assert "No model is connected" in ran.err
    assert "No model is connected" in run("status").out


def test_status_tells_where_keys_are(run: Run, connected: AnthropicServer) -> None:
    [told] = run("status", "--json").json["connections"]
    assert (told["name"], told["model"], told["key"]) == ("fake", MODEL, "not needed")
    assert "key: not needed" in run("status").out


def test_tools_work_where_they_are_switched_on(run: Run, connected: AnthropicServer, tmp_path: Path) -> None:
    settings = tmp_path / "p" / "config" / "settings.toml"
    settings.write_text(settings.read_text() + "[chat]\nown_tools = true\n")
    looked = Call("memory", {"command": "view"})
    written = Call("memory", {"command": "append", "file": "a.md", "text": "x"})
    connected.script(Reply(blocks=(looked, written)), Reply(blocks=(Say("Done."),)))
    ran = run("chat", "new", "Remember")
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    assert "It was refused" in ran.err
    assert not (tmp_path / "archive" / "memory").exists()
    assert "There are no notes yet" in run("show", "latest").out


@pytest.mark.parametrize("level", ["off", "on", "full"])
def test_a_session_decides_how_much_is_told_of_tools(
    run: Run, connected: AnthropicServer, tmp_path: Path, level: str
) -> None:
    settings = tmp_path / "p" / "config" / "settings.toml"
    settings.write_text(settings.read_text() + "[chat]\nown_tools = true\n")
    assert run("chat", "new", "Hello").code == 0
    assert f"Verbosity: {level}" in run("chat", "latest", f"/verbose {level}").out
    connected.script(Reply(blocks=(Call("memory", {"command": "view"}),)), Reply(blocks=(Say("Done."),)))
    ran = run("chat", "latest", "Remember")
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    told = ["· memory" in ran.err, '· memory {"command":"view"}' in ran.err, "There are no notes yet." in ran.err]
    assert told == {"off": [False] * 3, "on": [True, False, False], "full": [True] * 3}[level]


def test_without_a_connection_it_is_told_how_to_make_one(run: Run, tmp_path: Path) -> None:
    for arguments in (("chat", "new", "Hi"), ("chat", "new", "Hi", "--json")):
        ran = run("--profile", tmp_path / "p", *arguments)
        assert (ran.code, ran.out) == (1, "")
        for words in (
            "[[connections]]",
            "ANTHROPIC_API_KEY",
            "keyring set stemmata",
            f"{tmp_path}/p/config/settings",
        ):
            assert words in ran.err
    assert run("--profile", tmp_path / "p", "sessions", "--json").json == {"sessions": []}


def test_nobody_is_asked_while_the_settings_do_not_say_whom(
    run: Run, connected: AnthropicServer, tmp_path: Path
) -> None:
    settings = tmp_path / "p" / "config" / "settings.toml"
    sound = settings.read_text()
    connected.script(Reply(blocks=(Say("Hello."),)))
    assert run("chat", "new", "Hi").code == 0
    for wrong in (
        '[chat]\ndefault_connection = "mine"\n', '[[connections]]\nname = "mine"\napi = "odd"\n',
    ):  # fmt: skip
        settings.write_text(wrong + sound)
        ran = run("chat", "new", "Hi")
        assert (ran.code, ran.out) == (1, "")
        assert "line 2" in ran.err or "line 3" in ran.err
        assert "--connection" in ran.err
    assert len(connected.requests) == 1
    connected.script(*[Reply(blocks=(Say("Again."),))] * 2)
    assert run("chat", "latest", "Hi").out == "Again.\n"  # the session says whom
    assert run("chat", "new", "Hi", "--connection", "fake").out == "Again.\n"


def test_a_tool_server_that_does_not_start_is_named(run: Run, connected: AnthropicServer, tmp_path: Path) -> None:
    with (tmp_path / "p" / "config" / "settings.toml").open("a", encoding="utf-8") as settings:
        settings.write('[[servers]]\nname = "none"\ncommand = "no-such-program-anywhere"\n')
    ran = run("chat", "new", "Hi")
    assert ran.code == 0
    assert ran.err.count("“none” is not running: The program “no-such-program-anywhere” was not found.") == 1


def test_a_message_larger_than_the_window_names_the_commands_that_help(
    run: Run, connected: AnthropicServer, tmp_path: Path
) -> None:
    connected.window = 20_000
    ran = run("chat", "new", "Every word of this counts. " * 5_000, "--json")
    assert (ran.code, ran.json["complete"]) == (1, False), ran.err
    session = ran.json["session"]
    entry = run("take-back", session, "--json").json["entry"]
    assert run("leaf", session, "--undo").code == 0
    assert "One entry has about" in ran.json["problem"]
    assert "stemmata" not in ran.json["problem"]
    for command in (f"cut {session} {entry} ", f"exclude {session} {entry} ", f"take-back {session} {entry} "):
        assert f"  stemmata {command}" in ran.err
    assert run("cut", session).code == 0
    again = run("chat", session, "What was that about?")
    assert again.code == 0, again.err


def test_an_automatic_compaction_is_told_on_stderr(
    run: Run, connected: AnthropicServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trigger of 200,000 tokens is at 80,000."""
    with (tmp_path / "p" / "config" / "settings.toml").open("a", encoding="utf-8") as file:
        file.write("[compaction]\nthreshold_percent = 10\n")
    ran = run("chat", "new", "word " * 24_000)
    for _ in range(2):
        assert "🧹" not in ran.err
        ran = run("chat", "latest", "word " * 24_000)
    assert ran.code == 0
    assert "Compacting automatically…" in ran.err
    assert "🧹 Auto-compaction complete (compaction 1)" in ran.err
    assert "📊 Total:" in ran.err
    assert "🧹" not in ran.out


def test_a_conversation_goes_on_in_the_session_of_an_automatic_compaction(
    run: Run, connected: AnthropicServer, tmp_path: Path
) -> None:
    with (tmp_path / "p" / "config" / "settings.toml").open("a", encoding="utf-8") as file:
        file.write('[compaction]\nthreshold_percent = 10\nstrategy = "new-session"\n')
    old = run("chat", "new", "word " * 24_000, "--json").json["session"]
    new = None
    while new is None:
        ran = run("chat", old, "word " * 24_000, "--json")
        new = ran.json["continued_as"]
    assert ran.json["session"] == old
    assert f"goes on in a new session: stemmata chat {new}" in ran.err
    assert "🧹 Auto-compaction complete" in ran.err
    count = run("status", old, "--json").json["entries"]
    again = run("chat", old, "And then?", "--json")
    assert again.json["session"] == new
    assert f"Continued in session {new}" in again.err
    assert run("status", old, "--json").json["entries"] == count
    leaf = run("tree", old, "--json").json["leaf"]
    here = run("chat", old, "No, here.", "--leaf", leaf, "--json").json
    assert here["session"] == old
    assert here["continued_as"] not in (None, new), "its context is still above the trigger"


def test_a_reset_that_is_due_begins_a_session(run: Run, connected: AnthropicServer, tmp_path: Path) -> None:
    def age(session: str) -> None:
        archive = sqlite3.connect(run("status", "--json").json["path"])
        archive.execute("UPDATE sessions SET updated_at = updated_at - 90000000000 WHERE id = ?", (session,))
        archive.commit()
        archive.close()

    connected.script(*[Reply(blocks=(Say("Hello."),))] * 4)
    run("chat", "new", "Hi")
    old = run("sessions", "--json").json["sessions"][0]["id"]
    moved = run("chat", old, "/reset", "--json").json["session"]
    assert run("chat", moved, "/reset back", "--json").json["session"] == old
    with (tmp_path / "p" / "config" / "settings.toml").open("a", encoding="utf-8") as settings:
        settings.write("[chat]\nreset_idle_minutes = 1\n")
    age(old)
    assert run("chat", old, "Stay", "--no-reset", "--json").json["session"] == old
    age(old)
    ran = run("chat", old, "Go on", "--json")
    assert ran.json["session"] not in (old, moved)
    assert f"in the new session {ran.json['session']} (chat.reset_idle_minutes). The old one is {old}" in ran.err
