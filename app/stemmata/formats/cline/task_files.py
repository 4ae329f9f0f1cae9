"""The files around the messages of a task or session: its facts, the usage of its requests, its compactions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any

from stemmata.formats.shared.facts_beside import content_of
from stemmata.formats.shared.values import BadLineError, instant, mapping, parse, text

MESSAGES = "api_conversation_history.json"
SESSION_ENDING = ".messages.json"
COMPACTION_ENDING = ".compaction.json"
SHOWN, ITEM = "ui_messages.json", "history_item.json"
_HISTORY = Path("state", "taskHistory.json")


def is_session(path: Path) -> bool:
    """Return whether the file is a session of the command-line program, not a task of an extension."""
    return path.name.endswith(SESSION_ENDING)


def session_facts(path: Path, damaged: list[str]) -> dict[str, Any]:
    """Return the facts of a session of the command-line program. A file that cannot be read is noted in `damaged`."""
    return mapping(content_of(_manifest(path), damaged))


def task_facts(path: Path, damaged: list[str]) -> dict[str, Any]:
    """Return the facts of a task: its own file, which newer extensions write, else its item in the list of tasks.

    A file that cannot be read is noted in `damaged`; not the list, which belongs to all tasks.
    """
    own = mapping(content_of(path.with_name(ITEM), damaged))
    listed = content_of(path.parent.parent.parent / _HISTORY, [])
    items = [mapping(one) for one in listed] if isinstance(listed, list) else []
    item = next((one for one in items if text(one.get("id")) == path.parent.name), {})
    return {**item, **own}


def requests(path: Path, damaged: list[str]) -> list[tuple[int, dict[str, Any]]]:
    """Return time (ns) and tokens of the requests that a task sent, as its window showed them.

    A file that cannot be read is noted in `damaged`.
    """
    shown = content_of(path.with_name(SHOWN), damaged)
    found = []
    for one in shown if isinstance(shown, list) else ():
        item = mapping(one)
        if item.get("say") == "api_req_started":
            told = mapping(_parsed(item.get("text")))
            if told.get("tokensIn") or told.get("tokensOut"):
                found.append((instant(item.get("ts")), told))
    return found


def compactions(path: Path, session: str, known: Set[str], damaged: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the summary of each compaction of a session, and the id of the first message that it keeps.

    `known` are the ids of the session's messages; the summary is none of them. Files that cannot be read are noted
    in `damaged`.
    """
    for file in _compaction_files(path):
        content = content_of(file, damaged)
        found = mapping(content)
        listed, owner = found.get("messages"), found.get("sessionId")
        messages = [mapping(one) for one in listed] if isinstance(listed, list) else []
        if isinstance(owner, str) and (owner != session or (messages and text(messages[0].get("id")) in known)):
            continue
        summary = _said(messages[0].get("content")) if messages and owner == session else ""
        if summary:
            yield summary, text(messages[1].get("id")) if len(messages) > 1 else ""
        elif content is not None:
            damaged.append(f"{file.name} has no summary that can be read")


def files_beside(path: Path) -> list[Path]:
    """Return the files that belong to the messages in `path`; some of them may not exist."""
    if is_session(path):
        return [_manifest(path), *_compaction_files(path)]
    return [path.with_name(SHOWN), path.with_name(ITEM)]


def _manifest(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(SESSION_ENDING) + ".json")


def _compaction_files(path: Path) -> list[Path]:
    try:
        return sorted(path.parent.glob(f"*{COMPACTION_ENDING}"))
    except OSError:
        return []


def _parsed(value: Any) -> Any:
    try:
        return parse(text(value).encode("utf-8", "replace"))
    except BadLineError:
        return None


def _said(content: Any) -> str:
    blocks = content if isinstance(content, list) else [{"text": content}]
    return "\n".join(filter(None, (text(mapping(one).get("text")) for one in blocks)))


def usage_at(requests: list[tuple[int, dict[str, Any]]], time: int, place: int, replies: int) -> Mapping[str, Any]:
    """Return the tokens of the request that a reply answers.

    By time, where messages have times; else by place, if there are as many requests as replies.
    """
    if time:
        before = [told for asked, told in requests if asked <= time]
        return before[-1] if before else {}
    return requests[place][1] if len(requests) == replies else {}
