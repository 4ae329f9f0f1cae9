"""Chatting on the command line beyond a message: commands, attachments, resuming, compaction by a model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import MODEL, connect
from tests.fakes.pictures import png
from tests.fakes.script import Refuse, Reply, Say
from tests.fakes.summary_model import GOOD
from tests.unit.cli.conftest import Run

PNG = png(1, 1)


@pytest.fixture
def connected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AnthropicServer]:
    (tmp_path / "p" / "config").mkdir(parents=True)
    monkeypatch.setenv("STEMMATA_PROFILE", str(tmp_path / "p"))
    with AnthropicServer() as server:
        connect(tmp_path / "p" / "config", server.url)
        yield server


@pytest.fixture
def settings(tmp_path: Path, connected: AnthropicServer) -> Path:
    return tmp_path / "p" / "config" / "settings.toml"


def add(settings: Path, text: str) -> None:
    settings.write_text(f"{settings.read_text()}{text}\n", encoding="utf-8")


def test_commands_are_answered_and_never_sent(run: Run, connected: AnthropicServer) -> None:
    connected.script(Reply(blocks=(Say("Hello."),)))
    run("chat", "new", "Hi")
    asked = len(connected.requests)
    told = run("chat", "latest", "/status")
    assert told.code == 0
    assert f"- Model: fake/{MODEL}" in told.out
    assert run("chat", "latest", "/status", "--json").json["command"] == "status"
    wrong = run("chat", "latest", "/staus")
    assert wrong.code == 1
    assert "Did you mean /status? /help lists all commands. Nothing was sent." in wrong.err
    new = run("chat", "new", "/new")
    assert new.out.startswith("Continue with: stemmata chat ")
    assert "`/help`" in run("chat", "new", "/help").out
    assert len(connected.requests) == asked


def test_two_slashes_send_one(run: Run, connected: AnthropicServer) -> None:
    connected.script(Reply(blocks=(Say("I see."),)))
    assert run("chat", "new", "//status is a word").out == "I see.\n"
    assert "/status is a word" in json.dumps(connected.requests[-1].body)
    assert "//status" not in json.dumps(connected.requests[-1].body)


def test_files_go_with_the_message(run: Run, connected: AnthropicServer, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Some words", encoding="utf-8")
    (tmp_path / "b.png").write_bytes(PNG)
    connected.script(Reply(blocks=(Say("Nice."),)))
    ran = run("chat", "new", "Look", "--attach", tmp_path / "a.md", "--attach", tmp_path / "b.png")
    assert (ran.code, ran.out) == (0, "Nice.\n"), ran.err
    [turn] = connected.requests[-1].body["messages"]
    assert [block["type"] for block in turn["content"]] == ["text", "image", "text"]
    assert turn["content"][0]["text"] == "a.md:\n\nSome words"


def test_a_file_that_cannot_be_sent_sends_nothing(
    run: Run, connected: AnthropicServer, settings: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.bin").write_bytes(b"\0\1")
    ran = run("chat", "new", "Look", "--attach", tmp_path / "a.bin")
    assert (ran.code, "not an image" in ran.err) == (1, True)
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7")
    ran = run("chat", "new", "Look", "--attach", tmp_path / "a.pdf", "--model", "llama3")
    assert (ran.code, "llama3 does not accept PDFs" in ran.err) == (1, True)
    assert not [request for request in connected.requests if "messages" in (request.body or {})]


def test_an_old_session_is_resumed_by_its_budget(
    run: Run, connected: AnthropicServer, settings: Path, session: Path
) -> None:
    run("import", session)
    connected.script(Reply(blocks=(Say("On we go."),)), Reply(blocks=(Say("And on."),)))
    old = run("sessions", "--json").json["sessions"][0]["id"]
    add(settings, "[compaction]\nresume_token_budget = 1\nkeep_recent_tokens = 5")
    add(settings, '[models."claude-opus-4-5"]\nwindow = 4000')
    apart = run("chat", old, "Go on", "--json")
    assert "Resumed from a summary in a new session" in apart.err
    assert apart.json["session"] != old
    assert apart.json["reply"] == "On we go."
    assert "Goal" in json.dumps(connected.requests[-1].body["messages"][0])
    same = run("chat", apart.json["session"], "And now?", "--json")  # it was gone on with a moment ago
    assert (same.err, same.json["session"], same.json["reply"]) == ("", apart.json["session"], "And on.")
    again = run("chat", old, "Still there?", "--json")  # no second summary of the same
    assert f"Resumed in session {apart.json['session']}, " in again.err
    assert again.json["session"] == apart.json["session"]
    assert len(run("sessions", "--json").json["sessions"]) == 2


def test_an_old_session_that_fits_goes_on_whole(run: Run, connected: AnthropicServer, session: Path) -> None:
    run("import", session)
    connected.script(Reply(blocks=(Say("On we go."),)), Reply(blocks=(Say("And on."),)))
    whole = run("chat", "latest", "Go on", "--json")
    assert "Resumed in full: the session fills 1% of the window; the limit is 70%." in whole.err
    assert run("chat", whole.json["session"], "And now?", "--json").err == ""


def test_a_model_writes_the_summary(run: Run, connected: AnthropicServer, session: Path) -> None:
    run("import", session)
    connected.script(Reply(blocks=(Say(GOOD),)))
    done = run("compact", "latest", "--keep-recent", 5, "--summariser", "model", "--json")
    assert done.code == 0, done.err
    assert done.json["summariser"] == "fake/claude-opus-4-5"  # what the session asks, there
    assert "About goal." in done.json["summary"]
    assert run("status", "latest", "--json").json["compactions"] == 1


def test_the_provider_writes_the_summary_and_gets_it_back(
    run: Run, connected: AnthropicServer, session: Path
) -> None:
    run("import", session)
    done = run("compact", "latest", "--keep-recent", 5, "--summariser", "provider")
    assert done.code == 0, done.err
    sent = json.loads(run("context", "latest", "--request", "anthropic").out)["messages"][0]
    assert sent["role"] == "assistant"
    assert sent["content"][0]["content"].startswith("Summary of ")
    assert run("chat", "latest", "And now?").code == 0
    assert connected.requests[-1].body["messages"][0]["content"] == sent["content"]


def test_a_provider_that_cannot_summarise_now_says_what_helps(
    run: Run, connected: AnthropicServer, session: Path
) -> None:
    run("import", session)
    connected.script(Refuse(529, "Overloaded", code="compaction_unavailable"))
    done = run("compact", "latest", "--keep-recent", 5, "--summariser", "provider")
    assert done.code == 1
    assert "Nothing was changed. Try again later, or use the digest." in done.err
    assert run("status", "latest", "--json").json["compactions"] == 0


def test_the_status_of_a_session_tells_cost_and_cache(run: Run, session: Path) -> None:
    run("import", session)
    told = run("status", "latest", "--json").json
    assert (told["sent_tokens"], told["cache_hit_rate"], told["window"]) == (900, 0.0, 200_000)
    out = run("status", "latest").out
    assert re.search("Active path .*, 0 % of the sent tokens from the cache", out)


def test_the_settings_say_how_a_context_is_compacted(run: Run, connected: AnthropicServer, settings: Path) -> None:
    connected.script(Reply(blocks=(Say("A long answer. " * 400),)), Reply(blocks=(Say("Another."),)))
    settings.write_text(settings.read_text().replace(MODEL, "claude-opus-4-5"), encoding="utf-8")
    run("chat", "new", "Tell me a story about a bridge. " * 20)
    run("chat", "latest", "And another?")
    add(settings, '[compaction]\nsummariser = "model"\nstrategy = "new-session"')
    before = run("sessions", "--json").json["sessions"]
    connected.script(Reply(blocks=(Say(GOOD),)))
    done = run("compact", "latest", "--keep-recent", 5, "--json").json
    assert done["summariser"] == "fake/claude-opus-4-5"
    assert len(run("sessions", "--json").json["sessions"]) == len(before) + 1


def test_an_option_goes_before_the_settings(run: Run, connected: AnthropicServer, settings: Path) -> None:
    connected.script(Reply(blocks=(Say("A long answer. " * 400),)), Reply(blocks=(Say("Another."),)))
    settings.write_text(settings.read_text().replace(MODEL, "claude-opus-4-5"), encoding="utf-8")
    run("chat", "new", "Tell me a story about a bridge. " * 20)
    run("chat", "latest", "And another?")
    add(settings, '[compaction]\nsummariser = "model"\nstrategy = "new-session"')
    asked = len(connected.requests)
    options = ("--summariser", "digest", "--strategy", "in-place")
    done = run("compact", "latest", "--keep-recent", 5, *options, "--json").json
    assert done["summariser"] == "digest"
    assert len(run("sessions", "--json").json["sessions"]) == 1
    assert len(connected.requests) == asked


# -- skills ---------------------------------------------------------------------------------------------------

BRIEF = "---\ndescription: Use when answers grow long.\n---\nAnswer in one line.\n"


@pytest.fixture
def skills(tmp_path: Path, settings: Path) -> Path:
    """A chosen folder with the skill "brief" and a file that is none."""
    folder = tmp_path / "skills"
    for name, text in (("brief", BRIEF), ("broken", "nothing")):
        (folder / name).mkdir(parents=True)
        (folder / name / "SKILL.md").write_text(text, encoding="utf-8")
    add(settings, f"[chat]\nskill_folders = {json.dumps(str(folder))}\nskills_by_prompt = false")
    return folder


def test_skills_are_listed_switched_and_sent(run: Run, connected: AnthropicServer, skills: Path) -> None:
    run("chat", "new", "Hello")
    listed = run("skills", "--json").json
    assert listed["folders"] == [str(skills)]
    [brief] = listed["skills"]
    assert brief == {
        "name": "brief", "description": "Use when answers grow long.", "path": str(skills / "brief" / "SKILL.md"),
        "tokens": brief["tokens"], "active": False, "by": None, "file": "same",
    }  # fmt: skip
    assert brief["tokens"]["kind"] == "estimated"
    assert [problem["path"] for problem in listed["problems"]] == [str(skills / "broken" / "SKILL.md")]
    on = run("skills", "latest", "--on", "brief", "--json").json["skills"][0]
    assert (on["active"], on["by"]) == (True, "user")
    context = run("context", "latest", "--json").json
    [sent] = context["skills"]
    assert (sent["name"], sent["tokens"]) == ("brief", brief["tokens"])
    assert context["breakdown"]["categories"]["skills"]["value"] == brief["tokens"]["value"]
    assert context["seen"]["categories"]["skills"]["value"] > 0
    assert "Skills   brief (≈ " in run("context", "latest").out
    assert "Answer in one line." in json.dumps(run("context", "latest", "--request", "anthropic").json["system"])
    run("chat", "latest", "And now?")
    assert "Answer in one line." in json.dumps(connected.requests[-1].body["system"])
    (skills / "brief" / "SKILL.md").unlink()
    assert "is no longer in the chosen folders" in run("skills", "latest").out
    assert run("skills", "latest", "--off", "brief", "--json").json["skills"] == []
    run("chat", "latest", "And then?")
    assert "system" not in connected.requests[-1].body


def test_skills_that_cannot_be_switched_say_why(run: Run, skills: Path, tmp_path: Path) -> None:
    run("chat", "new", "Hello")
    assert run("skills", "--on", "brief").code == 2
    unknown = run("skills", "latest", "--on", "breif")
    assert (unknown.code, "Did you mean “brief”?" in unknown.err) == (1, True)
    file = tmp_path / "session.jsonl"
    file.write_text('{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}\n')
    refused = run("skills", file, "--on", "brief")
    assert (refused.code, "Import it first, then" in refused.err) == (1, True)
    assert "`brief` Use when answers grow long." in run("skills", "latest").out


def test_without_a_chosen_folder_the_list_says_how_to_choose_one(run: Run, connected: AnthropicServer) -> None:
    assert "No folder of skills is chosen." in run("skills").out
