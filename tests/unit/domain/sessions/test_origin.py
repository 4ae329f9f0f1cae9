"""Who began a session, and to which project it belongs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stemmata.domain.sessions.origin import agent_id, is_agent, is_automated, is_subagent, projects_of, worktree_agent
from stemmata.domain.sessions.session import Session


def session(key: int = 1, details: dict[str, Any] | str | None = None, **facts: Any) -> Session:
    text = details if isinstance(details, str) else json.dumps(details or {}, separators=(",", ":"))
    given: dict[str, Any] = {"source": "claude-code", "source_id": f"s{key}", "title": "Fix it", "cwd": ""}
    return Session(
        key=key, id=f"id{key}", named=False, parent=None, leaf=None, created_at=0, updated_at=0, entries=1,
        branches=1, compactions=0, context_tokens=None, context_kind="unknown", model="", cost=0, details=text,
        **(given | facts),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "details", "expected"),
    [
        ({}, {}, False),
        ({"source_id": "main/agent-1"}, {}, True),
        ({"source_id": "a/b", "source": "stemmata"}, {}, False),
        ({}, {"agentId": "a1"}, True),
        ({}, {"agentId": 3}, False),
        ({"source": "gemini"}, {"kind": "subagent"}, True),
        ({}, {"title": 'a "subagent"'}, False),
        ({"cwd": "/code/app/.claude/worktrees/agent-0123abcd/src"}, {}, True),
        ({"cwd": "C:\\code\\app\\.claude\\worktrees\\agent-0123abcd"}, {}, True),
        ({"cwd": "/code/app/.claude/worktrees/agent-smith"}, {}, False),
        ({"cwd": "/code/worktrees"}, {}, False),
    ],
)
def test_agents(facts: dict[str, Any], details: dict[str, Any], *, expected: bool) -> None:
    assert is_agent(session(details=details, **facts)) is expected


def test_a_session_in_the_worktree_of_an_agent_is_not_the_subagents_own() -> None:
    assert not is_subagent(session(cwd="/code/app/.claude/worktrees/agent-0123abcd"))
    assert is_subagent(session(source_id="main/agent-1"))


@pytest.mark.parametrize(
    ("facts", "details", "expected"),
    [
        ({}, {"entrypoint": "cli"}, False),
        ({}, {"entrypoint": "sdk-py"}, True),
        ({"source": "codex"}, {"client": "exec"}, True),
        ({"source": "codex"}, {"originator": "codex_exec"}, True),
        ({}, {"note": "codex_exec"}, False),
        ({}, {"other": {"entrypoint": "sdk"}}, False),
        ({"title": "Warmup"}, {}, True),
        ({}, '{"entrypoint":"sdk', False),
        ({}, '["entrypoint":"sdk"]', False),
        ({}, '[{"entrypoint":"sdk"}]', False),
    ],
)
def test_automated_runs(facts: dict[str, Any], details: dict[str, Any] | str, *, expected: bool) -> None:
    assert is_automated(session(details=details, **facts)) is expected


def test_agents_are_named_by_details_and_worktrees() -> None:
    assert agent_id(session(details={"agentId": "0123abcdef"})) == "0123abcdef"
    assert agent_id(session(details={"agentId": 5})) == agent_id(session()) == ""
    assert worktree_agent(session(cwd="/a/.claude/worktrees/agent-0123abcd")) == "0123abcd"
    assert worktree_agent(session(cwd="/a/.claude/worktrees/fix")) == ""


def projects(*facts: tuple[str, dict[str, Any]]) -> list[str]:
    sessions = [session(key, details, cwd=cwd) for key, (cwd, details) in enumerate(facts, 1)]
    return [*projects_of(sessions).values()]


@pytest.mark.parametrize(
    ("cwd", "project"),
    [
        ("", ""),
        ("/", "/"),
        ("/code/app/", "/code/app"),
        ("/code/app/.claude/worktrees/fix/src", "/code/app"),
        ("/code/app/.worktrees/fix", "/code/app"),
        ("/code/app-worktrees/fix", "/code/app"),
        ("/code/app.worktrees/fix/src", "/code/app"),
        ("/code/worktrees", "/code/worktrees"),
        ("/code/worktrees/fix", "/code/worktrees/fix"),
        ("C:\\code\\app\\.claude\\worktrees\\fix", "C:/code/app"),
        ("/home/me/.codex/worktrees/1a2b/app/src", "/home/me/.codex/worktrees/1a2b/app"),
    ],
)
def test_a_worktree_belongs_to_its_repository(cwd: str, project: str) -> None:
    assert projects((cwd, {})) == [project]


def test_worktrees_in_a_folder_of_the_tool_join_the_repository_of_their_name() -> None:
    codex, cursor = "/home/me/.codex/worktrees/1a2b/app/src", "/home/me/.cursor/worktrees/app/xyz"
    assert projects(("", {}), ("/code/app", {}), (codex, {}), (cursor, {})) == ["", *["/code/app"] * 3]
    assert projects(("/code/app", {}), ("/other/app", {}), (codex, {}))[2] == "/home/me/.codex/worktrees/1a2b/app"


def test_folders_inside_a_repository_belong_to_its_root() -> None:
    named = {"git": {"repository_url": "https://example.org/app.git"}}
    app, web = "/code/app", "/code/app/web"
    assert projects((app, named), (web, named), (web, {}), (web, {"repository": "me/other"})) == [app, app, web, web]
    assert projects((web, {"gitRoot": f"{app}/.claude/worktrees/fix"}), ("", named)) == [app, ""]
    odd = {"repository": 3, "gitRoot": 1}
    assert projects((app, {"git": {"repository_url": 3}}), (web, odd)) == [app, web]


def test_known_repositories_come_first() -> None:
    sessions = [session(1, cwd="/code/app/web"), session(2, cwd="/tmp/fix"), session(3, cwd="/notes")]
    known = {"/code/app/web": "/code/app", "/tmp/fix": "/code/app"}
    assert [*projects_of(sessions, known).values()] == ["/code/app", "/code/app", "/notes"]
