"""Previews of entries and titles of sessions, computed from their content."""

from __future__ import annotations

import sqlite3
from collections.abc import Container
from heapq import nsmallest
from itertools import chain, compress, count, repeat
from operator import eq

from stemmata.domain.entries.blocks import (
    Block,
    ToolCall,
    arguments_of,
    decode,
    main_argument,
    plain_text,
    split_attachments,
)
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.entries.preview import preview_of
from stemmata.domain.entries.prompts import NO_PROMPT
from stemmata.domain.entries.tree import Tree
from stemmata.domain.text.titles import descriptive_title, title_in
from stemmata.domain.text.tool_wrappers import CAVEAT, content_of, prompt_in, without_wrappers, wrapped_parts
from stemmata.domain.text.warm_up import is_warm_up
from stemmata.store.core.stored_json import from_json
from stemmata.store.core.stored_text import restored, shown
from stemmata.store.entries.content import ContentRepository
from stemmata.store.entries.tree_loader import TreeLoader

GLANCE = 20_000  # characters of a prompt that are looked at: much may be wrapped before it
GLANCED = 20  # entries that are looked at for a text when no person wrote one
WRITTEN = 10  # prompts of the user that are searched for one that can be a title
PROMPTS = 50  # prompts that are searched for one that the user wrote
# key of a tree's memo: the number of entries that were examined, and the first prompts among them
_PROMPTS = "prompts"
_FIRST = "first entries"  # likewise, of all entries
_RAW = f"GLOB '<[a-z]*' OR {{0}} GLOB '{CAVEAT}*'"
_WRAPPED = f"""
    SELECT key FROM entries
    WHERE role IN ({int(Role.USER)}, {int(Role.CUSTOM)}) AND (preview {_RAW.format("preview")})"""
_ENTRY = """
    SELECT kind, role, name, ifnull(head, body) FROM entries JOIN bodies ON bodies.key = entries.key
    WHERE entries.key = ?"""
_SESSIONS = f"SELECT key FROM sessions WHERE prompt {_RAW.format('prompt')}"


def first_prompt(tree: Tree, content: ContentRepository) -> str:
    """Return the title of a session, from the first prompt of the person that says something.

    Without one, the title comes from the first prompt or command, or else from the first text of anybody.
    """
    other, written = "", 0
    for entry in said_by_the_person(tree):
        text = _text(_blocks(tree, content, entry))
        prompt = prompt_in(text)
        said = prompt or content_of(wrapped_parts(text)).command
        if not is_warm_up(said) and (title := descriptive_title(said)):
            return shown(title)
        other = other or title_in(prompt or without_wrappers(text))
        written += bool(prompt)
        if written == WRITTEN:
            break  # each turn looks at these prompts again
    return shown(other) or _first_words(tree, content)


def _first_words(tree: Tree, content: ContentRepository) -> str:
    """Return a title from the first entry with a text, or from the first call of a tool; "" for none."""
    call = ""
    for entry in _first_entries(tree):
        blocks = _blocks(tree, content, entry)
        if title := title_in(without_wrappers(_text(blocks))):
            return shown(title)
        calls = (main_argument(arguments_of(block)) for block in blocks if isinstance(block, ToolCall))
        call = call or title_in(next(calls, ""))
    return shown(call)


def _first_entries(tree: Tree) -> list[int]:
    """Return the first entries by time, as `said_by_the_person` does for prompts."""
    seen, known = tree.memo.get(_FIRST, (0, ()))
    if seen < len(tree):
        times = tree.columns.time
        new = range(seen, len(tree))
        known = tuple(nsmallest(GLANCED, chain(known, new), key=lambda entry: (times[entry], entry)))
        tree.memo[_FIRST] = len(tree), known
    return list(known)


def _blocks(tree: Tree, content: ContentRepository, entry: int) -> tuple[Block, ...]:
    """Return the blocks of an entry; none when its content is lost."""
    key = tree.key(entry)
    found = content.cut_bodies([key], GLANCE).get(key)
    return () if found is None else found.blocks


def _text(blocks: tuple[Block, ...]) -> str:
    return (split_attachments(blocks)[1] or plain_text(blocks)).strip()


def said_by_the_person(tree: Tree) -> list[int]:
    """Return the earliest prompts of the user, by their times: a key can be higher than those of later entries.

    The result is stored with the tree. When the tree grows, only its new entries are looked at.
    """
    seen, known = tree.memo.get(_PROMPTS, (0, ()))
    if seen < len(tree):
        times, flags = tree.columns.time, tree.columns.flags
        users = compress(count(seen), map(eq, tree.columns.role[seen:], repeat(int(Role.USER))))
        said = (entry for entry in users if not flags[entry] & NO_PROMPT)
        known = tuple(nsmallest(PROMPTS, chain(known, said), key=lambda entry: (times[entry], entry)))
        tree.memo[_PROMPTS] = len(tree), known
    return list(known)


def rewrite_previews(connection: sqlite3.Connection) -> None:
    """Compute previews and titles of commands and notes again, without their wrapping tags. For the migration."""
    for (key,) in connection.execute(_WRAPPED).fetchall():
        found = connection.execute(_ENTRY, (key,)).fetchone()
        if found is None:
            continue  # the content is lost; only the name is known
        kind, role, name, body = found
        blocks = decode(from_json(body)["b"])
        entry = Entry(id="", role=Role(role), kind=Kind(kind), name=restored(name), blocks=blocks)
        connection.execute("UPDATE entries SET preview = ? WHERE key = ?", (shown(preview_of(entry)), key))
    trees, content = TreeLoader(connection, of_older=True), ContentRepository(connection)
    for (key,) in connection.execute(_SESSIONS).fetchall():
        prompt = first_prompt(trees.tree(key), content)
        connection.execute("UPDATE sessions SET prompt = ? WHERE key = ?", (prompt, key))


def renew_titles(connection: sqlite3.Connection, sessions: Container[int] | None = None) -> None:
    """Take the titles of these sessions, else of all, from their prompts again.

    For migrations; titles that were given stay.
    """
    trees, content = TreeLoader(connection), ContentRepository(connection)
    for key, known in connection.execute("SELECT key, prompt FROM sessions").fetchall():
        if sessions is not None and key not in sessions:
            continue
        title = first_prompt(trees.tree(key), content)
        if title not in ("", known):  # the content of prompts may be lost
            connection.execute("UPDATE sessions SET prompt = ? WHERE key = ?", (title, key))


def shorten_titles(connection: sqlite3.Connection) -> None:
    """Replace the stored first lines of prompts by the titles in them, as the migration needs it, without trees."""
    for key, prompt in connection.execute("SELECT key, prompt FROM sessions WHERE prompt <> ''").fetchall():
        connection.execute("UPDATE sessions SET prompt = ? WHERE key = ?", (shown(title_in(restored(prompt))), key))
