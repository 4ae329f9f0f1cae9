"""Who began a session, and in which project: read from the session's source id, folder and details."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any

from stemmata.domain.sessions.session import Session
from stemmata.domain.text.warm_up import is_warm_up

# Text that the details of such a session contain; it is looked for before the JSON is parsed, which takes longer.
_AGENT = ('"agentId"', '"subagent"')
_AUTOMATED = ('"entrypoint":"sdk', '"client":"exec"', '"codex_exec"')
_REPOSITORY = ('"gitRoot"', '"repository_url"', '"repository"')

# Folders in which tools check out worktrees of a repository: inside of it, and in the tool's own folder.
_WORKTREE = re.compile(r"^(?P<root>.*?[^/])(?:/\.claude/worktrees|/\.worktrees|[.-]worktrees)/(?P<name>[^/]+)")
_ELSEWHERE = re.compile(r"/\.(?:codex/worktrees/[^/]+/(?P<codex>[^/]+)|cursor/worktrees/(?P<cursor>[^/]+)/[^/]+)")
_OF_AGENT = re.compile(r"agent-(?P<id>[0-9a-f]{6,})")


class SourceState(Enum):
    """The state of a session's source file."""

    FOLLOWED = "followed"  # it exists, and its new entries are imported
    DELETED = "deleted"  # its tool has deleted it; the archive keeps the session


_NONE: Mapping[str, str] = MappingProxyType({})


def is_agent(session: Session) -> bool:
    """Return whether another session began this one: a subagent, a sidechain, or a session in an agent's worktree."""
    return is_subagent(session) or (session.source != "stemmata" and bool(worktree_agent(session)))


def is_subagent(session: Session) -> bool:
    """Return whether a session is that of a subagent or a sidechain: its id or its details say so."""
    if session.source == "stemmata":
        return False
    if "/" in session.source_id:
        return True
    details = session.details
    if not any(sign in details for sign in _AGENT):
        return False
    facts = _facts(details)
    return isinstance(facts.get("agentId"), str) or facts.get("kind") == "subagent"


def is_automated(session: Session) -> bool:
    """Return whether a program began this session and no person wrote in it: a script's run, or a warm-up."""
    if is_warm_up(session.title):
        return True
    details = session.details
    if not any(sign in details for sign in _AUTOMATED):
        return False
    facts = _facts(details)
    entrypoint = facts.get("entrypoint")
    is_sdk = isinstance(entrypoint, str) and entrypoint.startswith("sdk")
    return is_sdk or facts.get("client") == "exec" or facts.get("originator") == "codex_exec"


def worktree_agent(session: Session) -> str:
    """Return the beginning of the id of the agent for which the session's worktree was made; "" for none."""
    if "worktrees" not in session.cwd:
        return ""
    found = _WORKTREE.match(_slashed(session.cwd))
    agent = None if found is None else _OF_AGENT.fullmatch(found["name"])
    return "" if agent is None else agent["id"]


def agent_id(session: Session) -> str:
    """Return the agent's id that the details of a subagent's session name; "" for none."""
    found = _facts(session.details).get("agentId") if _AGENT[0] in session.details else None
    return found if isinstance(found, str) else ""


def projects_of(sessions: Iterable[Session], repositories: Mapping[str, str] = _NONE) -> dict[int, str]:
    """Return the folder of each session's project, by session key; "" for a session without a folder.

    `repositories` maps folders of sessions to the roots of repositories on this machine, as far as they are known.
    Other worktrees belong to the project of their repository by their path. Other folders inside a repository belong
    to its root when two sessions name the same repository.
    """
    places = {session.key: (session.cwd, _repository(session)) for session in sessions}
    roots = {cwd: repository_root(repositories.get(cwd, cwd)) for cwd, _ in places.values()}
    named: dict[str, set[str]] = {}
    for cwd, root in roots.items():
        if not _checkout_name(cwd):
            named.setdefault(root.rpartition("/")[2], set()).add(root)
    for cwd in roots:
        name = _checkout_name(cwd)
        known = named.get(name, set()) if name else set()
        if len(known) == 1:
            roots[cwd] = next(iter(known))
    return _inside(places, roots)


def repository_root(cwd: str) -> str:
    """Return the folder of the repository to which a worktree belongs by its path, else the folder itself."""
    folder = _slashed(cwd)
    if "worktrees" not in folder:
        return folder
    found = _WORKTREE.match(folder)
    if found is not None:
        return found["root"]
    outside = _ELSEWHERE.search(folder)
    return folder if outside is None else folder[: outside.end()]


def _inside(places: Mapping[int, tuple[str, tuple[str, str]]], roots: Mapping[str, str]) -> dict[int, str]:
    """Return the project of each session, where the repository's other sessions may show that a folder is inside."""
    out, by_repository = {}, dict[str, set[str]]()
    for key, (cwd, (top, repository)) in places.items():
        out[key] = repository_root(top) if top else roots[cwd]
        if repository and out[key]:
            by_repository.setdefault(repository, set()).add(out[key])
    for key, (_cwd, (_top, repository)) in places.items():
        above = [root for root in by_repository.get(repository, ()) if out[key].startswith(f"{root}/")]
        if above:
            out[key] = min(above, key=len)
    return out


def _repository(session: Session) -> tuple[str, str]:
    """Return the folder and the address of the repository from the details; "" for each that is missing."""
    if not any(sign in session.details for sign in _REPOSITORY):
        return "", ""
    facts = _facts(session.details)
    git = facts.get("git")
    url = git.get("repository_url") if isinstance(git, dict) else facts.get("repository")
    top = facts.get("gitRoot")
    return top if isinstance(top, str) else "", url if isinstance(url, str) else ""


def _checkout_name(cwd: str) -> str:
    """Return the name of the repository of which a tool keeps a worktree in its own folder; "" for other folders."""
    found = _ELSEWHERE.search(_slashed(cwd)) if "worktrees" in cwd else None
    return "" if found is None else found["codex"] or found["cursor"]


def _slashed(folder: str) -> str:
    slashed = folder.replace("\\", "/")
    return slashed.rstrip("/") or slashed


def _facts(details: str) -> Mapping[str, Any]:
    try:
        found = json.loads(details or "{}")
    except (ValueError, RecursionError):  # the details come from files of other programs
        return {}
    return found if isinstance(found, dict) else {}
