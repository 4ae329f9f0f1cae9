"""Every command, its JSON shape, its exit code, and that --json prints one document and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.compaction.quality import baselines
from tests.fakes import librechat
from tests.fakes.embedding_model import install
from tests.unit.cli.conftest import Run


@pytest.fixture
def imported(run: Run, session: Path) -> str:
    """The id of the imported session."""
    return str(run("import", session, "--json").json["sessions"][0]["id"])


def test_import_reports_each_session(run: Run, session: Path) -> None:
    ran = run("import", session, "--json")
    assert ran.code == 0
    [made] = ran.json["sessions"]
    assert set(made) >= {
        "id",
        "source",
        "source_id",
        "title",
        "entries",
        "new_entries",
        "variants",
        "older",
        "branches",
        "skipped",
        "repaired",
    }
    assert (made["source"], made["source_id"], made["entries"], made["new_entries"], made["branches"]) == (
        "pi", "tale", 9, 9, 2,
    )  # fmt: skip
    again = run("import", session, "--json")
    assert (again.code, again.json["sessions"], again.json["unchanged"]) == (0, [], 1)
    assert "unchanged" in run("import", session).out


def test_import_with_skipped_lines_ends_with_3(run: Run, session: Path) -> None:
    session.write_text(session.read_text() + "not json\n")
    ran = run("import", session, "--json")
    assert ran.code == 3
    assert [line["line"] for line in ran.json["sessions"][0]["skipped"]] == [11]
    copy = session.with_name(f"copy-{session.name}")
    copy.write_text(session.read_text())
    ran = run("import", copy)
    assert ran.code == 3
    assert "line 11" in ran.out
    assert run("import", session).code == 0


def test_import_of_a_file_that_ends_early_says_where(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tea.json"
    path.write_bytes(librechat.export(librechat.tea())[:-9])
    ran = run("import", path)
    assert ran.code == 3
    assert "  skipped: tea.json, conversation 1: the file ends early; 5 messages are complete" in ran.out


def test_import_of_nothing_readable_ends_with_1_and_says_why(run: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    for path, words in ((empty, "empty"), (tmp_path / "missing", "missing")):
        ran = run("import", path)
        assert ran.code == 1
        assert words in ran.err
        assert ran.out == ""
    ran = run("import", empty, tmp_path / "missing")
    assert all(words in ran.err for words in ("empty.jsonl", "missing"))


def test_an_unknown_format_is_wrong_usage(run: Run, session: Path) -> None:
    ran = run("import", "--format", "odd", session)
    assert ran.code == 2
    assert "Unknown format: odd. Supported: " in ran.err


def test_import_without_paths_lists_what_is_there(run: Run, profile: Path, session: Path) -> None:
    assert run("import", "--json").json == {"found": [], "endangered": []}
    assert "No sessions" in run("import").out
    folder = profile / ".pi" / "agent" / "sessions" / "--w--"
    folder.mkdir(parents=True)
    session.rename(folder / "tale.jsonl")
    assert run("import", "--json").json["found"][0]["source"] == "pi"
    assert "pi" in run("import").out


def test_sessions(run: Run, imported: str) -> None:
    [listed] = run("sessions", "--json").json["sessions"]
    assert listed["id"] == imported
    assert listed["context_tokens"] == {"value": 2500, "kind": "reported"}
    assert (listed["leaf"], listed["window"], listed["compactions"], listed["cwd"]) == ("l1", 200_000, 0, "/tale")
    assert run("sessions", "--cwd", "/elsewhere", "--json").json == {"sessions": []}
    assert run("sessions", "--source", "pi", "--limit", 1, "--json").json["sessions"][0]["id"] == imported
    assert imported in run("sessions").out


def test_sessions_of_a_folder_however_it_is_written(
    run: Run, imported: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    for folder in ("/tale", "/tale/", "tale", "./x/../tale"):
        assert imported in run("sessions", "--cwd", folder).out


def test_sessions_say_that_there_are_none(run: Run, session: Path) -> None:
    none = run("sessions")
    assert (none.code, none.out) == (0, "")
    assert none.err.startswith("The archive /")  # a mistyped --store is seen by its path
    assert "has no sessions. Import some" in none.err
    run("import", session)
    none = run("sessions", "--source", "nothing")
    assert (none.code, none.out, none.err) == (0, "", "No session matches.\n")
    assert run("sessions", "--source", "nothing", "--quiet").err == ""
    assert run("sessions", "--kind", "nothing").code == 2


def test_sessions_that_follow_each_other(run: Run, imported: str) -> None:
    [alone] = run("sessions", "--json").json["sessions"]
    assert {name: alone[name] for name in ("parent", "continues", "continued_as", "state")} == {
        "parent": None, "continues": None, "continued_as": None, "state": "open",
    }  # fmt: skip
    made = run("compact", imported, "--strategy", "new-session", "--keep-recent", "0", "--json").json
    listed = {one["id"]: one for one in run("sessions", "--json").json["sessions"]}
    old = listed.pop(imported)
    [new] = listed.values()
    assert made["continued_as"] == new["id"]
    assert (old["parent"], old["continued_as"], old["state"]) == (None, new["id"], "finalised")
    assert (new["parent"], new["continues"], new["continued_as"], new["state"]) == (imported, imported, None, "open")
    for one in (old, new):
        status = run("status", one["id"], "--json").json
        fields = ("parent", "continues", "continued_as", "state")
        assert [status[name] for name in fields] == [one[name] for name in fields]
    assert new["id"] in run("status", imported).out
    assert imported in run("status", new["id"]).out


def test_a_session_after_a_reset_says_so(run: Run, imported: str) -> None:
    assert run("chat", imported, "/reset").code == 0
    [made] = {one["id"] for one in run("sessions", "--json").json["sessions"]} - {imported}
    listed = {one["id"]: one for one in run("sessions", "--json").json["sessions"]}
    assert (listed[made]["reset_of"], listed[made]["continues"]) == (imported, None)
    assert listed[imported]["reset_as"] == made
    assert "After the reset of" in run("status", made).out


def test_global_options_stand_before_or_after_the_command(run: Run, imported: str) -> None:
    assert run("--json", "sessions").json == run("sessions", "--json").json


def test_show(run: Run, imported: str) -> None:
    shown = run("show", "latest", "--json").json
    assert [entry["id"] for entry in shown["entries"]] == ["u1", "a1", "r1", "a2", "u3", "a4", "l1"]
    assert [entry["id"] for entry in run("show", "latest", "--leaf", "u2", "--json").json["entries"]][-2:] == [
        "a2",
        "u2",
    ]
    everything = run("show", imported[:5], "--all")
    assert "The first way." in everything.out
    assert "▸ read" in everything.out
    assert "The first way." not in run("show", "latest").out


def test_tree(run: Run, imported: str) -> None:
    tree = run("tree", "latest", "--filter", "all", "--json").json
    assert (tree["session"], tree["leaf"], tree["roots"]) == (imported, "l1", ["u1"])
    by_id = {entry["id"]: entry for entry in tree["entries"]}
    assert len(by_id) == 9
    assert set(by_id["a4"]) >= {
        "id", "parent", "kind", "role", "time", "label", "preview", "on_active_path", "lane",
    }  # fmt: skip
    assert (by_id["a4"]["label"], by_id["a4"]["on_active_path"], by_id["a4"]["lane"]) == ("good", True, 0)
    assert (by_id["u2"]["on_active_path"], by_id["u2"]["lane"], by_id["u2"]["parent"]) == (False, 1, "a2")
    users = run("tree", "latest", "--filter", "user", "--json").json["entries"]
    assert {entry["id"] for entry in users} == {"u1", "u2", "u3"}
    assert "[good]" in run("tree", "latest").out


def test_context(run: Run, imported: str) -> None:
    context = run("context", "latest", "--json").json
    assert [m["entry"] for m in context["messages"]] == ["u1", "a1", "r1", "a2", "u3", "a4"]
    assert context["messages"][2]["role"] == "toolResult"
    assert (context["model"], context["thinking_level"]) == ("anthropic/claude-opus-4-5", "off")
    assert {fate["fate"] for fate in context["fates"]} == {"sent", "never"}
    assert context["fates"][-1] == {"entry": "l1", "fate": "never", "reason": "bookkeeping"}
    breakdown = context["breakdown"]
    assert breakdown["total"] == {"value": 2500, "kind": "reported"}
    assert sum(figure["value"] or 0 for figure in breakdown["categories"].values()) == 2500
    assert breakdown["largest"][0]["entry"] == "r1"
    assert "Tool results" in run("context", "latest", "--leaf", "a2").out


@pytest.mark.parametrize("provider", ["anthropic", "openai-chat", "openai-responses"])
def test_the_exact_request(run: Run, imported: str, provider: str) -> None:
    payload = run("context", "latest", "--request", provider).json
    assert "src/a.py" in json.dumps(payload)
    assert payload["model"] == "claude-opus-4-5"


def test_compact_previews_and_then_compacts(run: Run, imported: str) -> None:
    before = run("sessions", "--json").json["sessions"][0]["entries"]
    plan = run("compact", "latest", "--keep-recent", 5, "--dry-run", "--json").json
    assert plan["dry_run"]
    assert set(plan) >= {
        "first_kept", "summarised", "kept", "split_turn", "turn_prefix", "summariser", "summary", "before",
        "after", "files",
    }  # fmt: skip
    assert plan["before"]["total"]["value"] == 2500
    assert plan["files"] == {"read": ["src/a.py"], "modified": []}
    assert run("sessions", "--json").json["sessions"][0]["entries"] == before
    done = run("compact", "latest", "--keep-recent", 5, "--json").json
    assert (done["summarised"], done["kept"]) == (plan["summarised"], plan["kept"])
    context = run("context", "latest", "--json").json
    assert context["messages"][0]["entry"] == done["entry"]
    assert context["messages"][0]["role"] == "compactionSummary"
    assert context["breakdown"]["total"]["value"] == done["after"]["total"]["value"]
    assert run("compact", "latest").code == 1
    assert "leaf" in run("leaf", "latest", "--undo", "--json").json
    assert len(run("context", "latest", "--json").json["messages"]) == 6


def test_compact_says_what_it_cannot_do(run: Run, imported: str, session: Path) -> None:
    assert "model" in run("compact", "latest", "--summariser", "model").err
    nothing = run("compact", "latest", "--dry-run")
    assert (nothing.code, "Nothing to summarise" in nothing.err) == (1, True)
    assert run("compact", session, "--keep-recent", 5, "--dry-run").code == 0
    assert "cannot be changed" in run("compact", session, "--keep-recent", 5).err


def test_compact_at_another_entry_from_a_cut_into_a_new_session(run: Run, imported: str) -> None:
    done = run("compact", "latest", "--leaf", "a3", "--from", "u2", "--strategy", "new-session", "--json").json
    assert done["kept"] == ["u2", "a3"]
    assert len(run("sessions", "--json").json["sessions"]) == 2


def test_prune(run: Run, imported: str) -> None:
    plan = run("prune", "latest", "--dry-run")
    assert plan.code == 1
    assert "Nothing to prune" in plan.err


def twice(path: Path) -> Path:
    """A pi session in which one file is read twice."""
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": "twice", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/tale"}
    ]
    reply = {"role": "assistant", "provider": "p", "model": "m", "stopReason": "toolUse"}
    answer = {
        "role": "toolResult",
        "toolName": "read",
        "isError": False,
        "content": [{"type": "text", "text": "x " * 400}],
    }
    messages: list[tuple[str, dict[str, Any]]] = [("u", {"role": "user", "content": "Read."})]
    for number in "12":
        arguments = {"path": f"src/{'long' * 30}.py"}
        call = {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": arguments}
        messages += [(f"a{number}", reply | {"content": [call]})]
        messages += [(f"r{number}", answer | {"toolCallId": f"c{number}"})]
    for at, (id, message) in enumerate(messages):
        parent = messages[at - 1][0] if at else None
        stamp = f"2026-01-01T00:00:{at:02}.000Z"
        lines.append({"type": "message", "id": id, "parentId": parent, "timestamp": stamp, "message": message})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_prune_duplicates(run: Run, tmp_path: Path) -> None:
    file = twice(tmp_path / "twice.jsonl")
    assert run("import", file).code == 0
    told = run("prune", "latest", "--duplicates", "--dry-run")
    assert told.out.startswith("Would prune 1 tool result  ≈ 400 → ≈ 201\n  r1  ≈ 199  read again  read src/longlong")
    assert told.out.endswith("long…\n")
    assert run("prune", file, "--duplicates", "--dry-run", "--json").json["duplicates"][0]["entry"] == "r1"
    assert "cannot be changed" in run("prune", file, "--duplicates").err
    done = run("prune", "latest", "--duplicates", "--json").json
    assert (done["boundary"], done["pruned"], done["kept_tools"], done["dry_run"]) == (None, ["r1"], [], False)
    [found] = done["duplicates"]
    assert (found["replaced_by"], found["reason"], found["tool"]) == ("r2", "read-again", "read")
    assert found["tokens"] == {"value": 199, "kind": "estimated"}
    mark, note = run("show", "latest", "--json").json["entries"][-2:]
    assert (mark["id"], note["kind"]) == (done["entry"], "custom_message")
    fates = run("context", "latest", "--json").json["fates"]
    assert fates[2] == {"entry": "r1", "fate": "pruned", "reason": "read-again"}
    assert "no tool result is replaced" in run("prune", "latest", "--duplicates").err
    run("leaf", "latest", "--undo")
    assert run("prune", "latest", "--duplicates", "--dry-run").code == 0


def test_prune_an_empty_session(run: Run, imported: str) -> None:
    assert run("take-back", imported, "u1").code == 0
    assert run("leaf", imported).out.strip() == "before the first entry"
    assert run("prune", "latest", "--duplicates").code == 1


def test_fork_label_and_leaf(run: Run, imported: str) -> None:
    fork = run("fork", imported, "--at", "a2", "--json").json
    assert fork["parent"] == imported
    assert [entry["id"] for entry in run("show", fork["session"], "--json").json["entries"]] == [
        "u1",
        "a1",
        "r1",
        "a2",
    ]
    assert run("label", imported, "u1", "start", "--json").json["label"] == "start"
    assert "removed" in run("label", imported, "a4", "").out
    labels = {e["id"]: e["label"] for e in run("tree", imported, "--filter", "all", "--json").json["entries"]}
    assert (labels["u1"], labels["a4"]) == ("start", None)
    assert run("leaf", imported, "a3", "--json").json["leaf"] == "a3"
    assert run("leaf", imported).out.strip() == "a3"
    assert run("leaf", imported, "--undo").out.strip() == "l1"
    assert run("leaf", imported, "--redo").out.strip() == "a3"
    assert run("leaf", imported, "nothing").code == 1
    for unclear in (["a3", "--undo"], ["--undo", "--redo"]):
        assert run("leaf", imported, *unclear).code == 2
    assert run("leaf", imported).out.strip() == "a3"


@pytest.fixture
def large(run: Run, imported: str, session: Path) -> str:
    """The id of an imported session whose last user message is large enough to be cut."""
    lines = session.read_text().splitlines()
    more = json.loads(next(line for line in lines if '"u3"' in line)) | {"id": "u4", "parentId": "a4"}
    more["message"]["content"][0]["text"] = "Every word of this counts. " * 1_000
    session.write_text("\n".join([*lines, json.dumps(more)]) + "\n")
    run("import", session)
    run("leaf", imported, "u4")
    return imported


def sent_of(run: Run, session: str) -> list[str]:
    return [message["entry"] for message in run("context", session, "--json").json["messages"]]


@pytest.mark.parametrize(
    ("verb", "state", "fate", "words"),
    [("cut", "cut", "cut", "beginning and end"), ("exclude", "excluded", "never", "excluded from the context")],
)
def test_the_last_message_of_the_user_is_cut_or_excluded_and_included_again(
    run: Run, large: str, verb: str, state: str, fate: str, words: str
) -> None:
    done = run(verb, large, "--json").json
    assert (done["session"], done["entry"], done["state"]) == (large, "u4", state)
    context = run("context", large, "--json").json
    assert context["leaf"] == done["leaf"] == run("leaf", large).out.strip()
    assert {one["entry"]: one["fate"] for one in context["fates"]}["u4"] == fate
    assert ("u4" in sent_of(run, large)) == (verb == "cut")
    assert "already in this state" in run(verb, large, "u4").err
    assert run("include", large, "--json").json["state"] == "included"
    assert "u4" in sent_of(run, large)
    nothing = run("include", large)
    assert (nothing.code, "No entry of the active path was cut or excluded" in nothing.err) == (1, True)
    again = run(verb, large, "u4")
    assert (again.code, again.out.startswith("u4: "), words in again.out) == (0, True, True)
    assert "u4: sent in full again" in run("include", large, "u4").out


def test_what_cannot_be_cut_or_excluded_is_said(run: Run, large: str, session: Path) -> None:
    assert "less than 2,000 tokens" in run("cut", large, "u1").err
    assert "not in the context" in run("exclude", large, "a3").err
    assert "cannot be changed" in run("cut", session).err
    run("exclude", large, "u3")
    run("take-back", large, "u1")
    ran = run("cut", large)
    assert (ran.code, "no message of the user" in ran.err) == (1, True)


def test_a_message_is_taken_back(run: Run, large: str) -> None:
    ran = run("take-back", large)
    assert (ran.code, ran.out) == (0, "Every word of this counts. " * 1_000 + "\n")
    assert run("leaf", large).out.strip() == "a4"
    assert run("leaf", large, "--undo").out.strip() == "u4"
    assert run("take-back", large, "u2", "--json").json == {
        "session": large, "entry": "u2", "leaf": "a2", "text": "The first way.",
    }  # fmt: skip
    first = run("take-back", large, "u1", "--json").json
    assert (first["leaf"], first["text"][:6]) == (None, "Start.")
    refused = run("take-back", large, "a3")
    assert (refused.code, "Only a message of the user" in refused.err) == (1, True)


def test_search_by_meaning(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, session: Path) -> None:
    monkeypatch.setenv("STEMMATA_PROFILE", str(tmp_path / "profile"))
    session.write_text(session.read_text().replace("The first way.", "My cat sleeps."))
    run("import", session)
    off = run("search", "feline", "--meaning")
    assert (off.code, "is off" in off.err) == (1, True)
    settings = tmp_path / "profile" / "config" / "settings.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('[search]\nmeaning = "local"\n')
    install(tmp_path / "model", monkeypatch)
    assert run("search", "feline", "--json").json["hits"] == []
    found = run("search", "feline", "--meaning", "--json")
    assert [hit["entry"] for hit in found.json["hits"]] == ["u2"]
    assert "texts were prepared" in found.err
    assert "prepared" not in run("search", "feline", "--meaning").err
    assert run("search", "feline", "--meaning", "--role", "user").code == 2
    unknown = run("search", "feline", "--role", "tool")
    assert (unknown.code, "Available: user, assistant, toolResult" in unknown.err) == (2, True)


def test_search(run: Run, imported: str) -> None:
    found = run("search", "way", "--json").json
    assert found["total"] == 2
    assert set(found["hits"][0]) == {"session", "entry", "role", "time", "snippet"}
    assert [hit["entry"] for hit in run("search", "way", "--scope", "abandoned", "--json").json["hits"]] == ["u2"]
    assert run("search", "way", "--session", imported, "--role", "assistant", "--json").json["total"] == 0
    assert run("search", "way", "--tool", "bash", "--json").json == {"total": 0, "more": False, "hits": []}
    assert "No matches" in run("search", "zebra").out
    assert run("search", "way after:2000", "--json").json == {**found, "more": False}
    assert [hit["entry"] for hit in run("search", "way in:abandoned", "--json").json["hits"]] == ["u2"]
    assert run("search", "way in:abandoned", "--role", "assistant", "--tool", "bash", "--json").json["total"] == 0
    assert run("search", "way role:user", "--scope", "active", "--session", imported, "--json").json["total"] < 3
    assert "not a date" in run("search", "way after:soon").err
    assert "second" in run("search", "second").out


def test_a_search_of_the_active_branches_finds_the_same_however_long_it_takes(
    run: Run, imported: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("search", "in:active", "--limit", "1", "--json")
    found = run(*asked).json
    assert found["total"] > 1
    for name in ("services.search.searching.BUDGET", "store.search.search.LEAST"):
        monkeypatch.setattr(f"stemmata.{name}", -1)
    monkeypatch.setattr("stemmata.store.search.search.AT_ONCE", 1)
    assert run(*asked).json == found


def test_what_is_wrong_with_the_settings_is_said_once_on_stderr(
    run: Run, imported: str, session: Path, tmp_path: Path
) -> None:
    settings = tmp_path / "p" / "config" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("[window]\ntheme = 3\n")
    profile = ("--profile", tmp_path / "p")
    for arguments in (
        ("sessions",),
        ("--quiet", "sessions"),
        ("show", session),
        ("search", "way", "--session", session),
    ):
        ran = run(*profile, *arguments, "--json")
        assert ran.code == 0
        assert ran.json
        assert ran.err.count(f"stemmata: {settings}, line 2, column 1: window.theme must be one of") == 1, ran.err
    settings.write_text("[window\n")
    ran = run(*profile, "sessions", "--json")
    assert (ran.code, [listed["id"] for listed in ran.json["sessions"]]) == (0, [imported])
    assert "at line 1, column 8" in ran.err
    settings.write_text("")
    assert run(*profile, "sessions").err == ""


def test_export_writes_beside_no_link(run: Run, imported: str, tmp_path: Path) -> None:
    target, precious = tmp_path / "link", tmp_path / "precious"
    precious.write_text("mine")
    target.symlink_to(precious)
    ran = run("export", imported, "--format", "pi", "-o", target)
    assert (ran.code, ran.out) == (1, "")
    assert "link" in ran.err
    assert (target.is_symlink(), precious.read_text()) == (True, "mine")


def test_hand_off(run: Run, imported: str, tmp_path: Path) -> None:
    told = run("hand-off", imported, "--to", "codex", "--folder", tmp_path, "--dry-run", "--json").json
    assert (told["written"], told["messages"] > 1) == (False, True)
    out = run("hand-off", imported, "--to", "codex", "--folder", tmp_path, "--extent", "brief").out
    path = Path(next(line for line in out.splitlines() if line.startswith("Written: ")).removeprefix("Written: "))
    assert path.is_file()
    assert f"Continue with: cd {tmp_path} && codex resume " in out
    assert "Not handed over: " in out
    assert "Nothing was written" in run("hand-off", imported, "--to", "pi", "--folder", tmp_path, "--dry-run").out
    assert run("hand-off", imported, "--to", "nothing", "--folder", tmp_path).code == 1
    at = run("export", imported, "--format", "json").json["entries"][0]["id"]
    first = run("hand-off", imported, "--to", "codex", "--folder", tmp_path, "--at", at, "--json").json
    assert (first["messages"], first["command"][:2]) == (1, ["codex", "resume"])


def test_the_command_that_continues_a_session(run: Run, imported: str, session: Path) -> None:
    assert run("resume-command", imported).out.strip().endswith(f"pi --session {session}")
    assert run("resume-command", imported, "--json").json["command"] == ["pi", "--session", str(session)]


def test_export(run: Run, imported: str, session: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    assert run("export", imported, "--format", "pi", "-o", target).code == 0
    assert target.read_bytes() == session.read_bytes()
    assert run("export", imported, "--format", "pi").out.encode() == session.read_bytes()
    assert run("export", imported, "--format", "pi", "-o", "-").out.encode() == session.read_bytes()
    assert not Path("-").exists()
    assert "The second way" in run("export", imported, "--format", "markdown").out
    assert len(run("export", imported, "--format", "json").json["entries"]) == 9
    assert run("export", imported, "--format", "odd").code == 2
    whole = run("export", imported, "--format", "markdown", "--whole").out
    assert "# Branch 2" in whole
    first = run("export", imported, "--format", "json").json["entries"][0]["id"]
    assert [one["id"] for one in run("export", imported, "--format", "json", "--at", first).json["entries"]] == [
        first
    ]
    assert run("export", imported, "--format", "json", "--at", first, "--whole").code == 2


def test_status_and_check(run: Run, imported: str) -> None:
    status = run("status", "--json").json
    assert status["archive"]["entries"] == 9
    assert "1 session" in run("status").out
    one = run("status", "latest", "--json").json
    assert (one["compacts_above"], one["branches"]) == (160_000, 2)
    assert "claude-opus-4-5" in run("status", "latest").out
    assert run("check", "--json").json == {"ok": True, "problems": [], "repaired": []}
    mended = run("check", "--repair")
    assert (mended.code, "no problems" in mended.out, "index" in mended.err) == (0, True, True)
    assert run("search", "second", "--json").json["total"] == 1
    assert "no problems" in run("check").out


def test_automatic_compaction_is_switched_for_a_session(run: Run, imported: str, session: Path) -> None:
    assert run("auto-compact", "latest").out.endswith(": on.\n")
    assert run("auto-compact", "latest", "off", "--json").json["auto_compaction"] is False
    assert "Automatic compaction  off for this session" in run("context", "latest").out
    assert run("context", "latest", "--json").json["auto_compaction"] is False
    assert run("status", "latest", "--json").json["auto_compaction"] is False
    assert "off for this session" in run("status", "latest").out
    run("import", session)  # a reading of the source keeps the switch
    assert run("auto-compact", "latest").out.endswith(": off for this session.\n")
    assert run("auto-compact", "latest", "on").out.endswith(": on.\n")
    assert "cannot be changed" in run("auto-compact", session, "off").err


def test_the_model_for_summaries_is_chosen_for_a_session(run: Run, imported: str, session: Path) -> None:
    assert run("summariser", "latest").out == "Summaries by a model: the model of the session\n"
    assert run("summariser", "latest", "--json").json["model"] is None
    assert "No model is connected" in run("summariser", "latest", "a/b").err
    assert run("summariser", "latest", "default").code == 0
    assert "cannot be changed" in run("summariser", session, "default").err
    assert run("compact", "latest", "--dry-run", "--model", "nothing").code == 2
    assert "  Summary: the digest, at no cost.\n" in run("compact", "latest", "--dry-run", "--keep-recent", 100).out


def test_a_session_file_is_read_and_never_stored(run: Run, session: Path) -> None:
    before = session.read_bytes()
    assert run("context", session, "--json").json["breakdown"]["total"]["value"] == 2500
    assert run("sessions", "--json").json == {"sessions": []}
    assert "cannot be changed" in run("label", session, "u1", "x").err
    assert session.read_bytes() == before


def test_wrong_usage_ends_with_2_and_unknown_sessions_with_1(run: Run) -> None:
    assert run("nonsense").code == 2
    assert run("tree").code == 2
    ran = run("tree", "nobody")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err


@pytest.mark.parametrize(
    ("name", "meant"),
    [("list", "sessions"), ("ls", "sessions"), ("find", "search"), ("run", "open"), ("expot", "export")],
)
def test_a_command_of_another_name_is_suggested(name: str, meant: str, run: Run) -> None:
    ran = run(name, "--json")
    assert (ran.code, ran.out) == (2, "")
    assert f"Did you mean '{meant}'?" in ran.err


def test_help_names_every_command(run: Run) -> None:
    out = run("--help").out
    for name in (
        "import sessions show tree context compact prune fork label leaf cut exclude include take-back search export "
        "status check"
    ).split():
        assert name in out


def test_bench_summary(run: Run, imported: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = run("bench-summary", imported, "--ratio", "50", "--json").json["scores"]
    assert [row["way"] for row in scores][:2] == ["digest", "last messages"]
    assert scores[0]["kept"]["constraints"][1] == 6
    table = run("bench-summary", imported, "--ratio", "50").out
    assert "open tasks" in table
    assert "digest" in table
    assert run("bench-summary", imported, "--model", "no-slash").code == 2
    monkeypatch.setattr(baselines, "MOST_SENTENCES", 50)
    assert run("bench-summary", "--ratio", "5", "--json").json["seed"] == 1
    assert run("bench-summary", imported, "--ratio", "5", "--model", "nowhere/m").code == 1


def test_sessions_have_the_titles_of_the_window(run: Run, tmp_path: Path) -> None:
    title = "Investigate why the importer drops the very last line of files without a newline"
    lines = [
        {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s", "timestamp": "2026-01-01T00:00:00.000Z",
         "message": {"role": "user", "content": "Hello"}},
        {"type": "ai-title", "aiTitle": title, "sessionId": "s"},
    ]  # fmt: skip
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run("import", path).code == 0
    assert "the very last line of…" in run("sessions").out
    assert title not in run("sessions").out
    assert run("sessions", "--json").json["sessions"][0]["title"] == title
