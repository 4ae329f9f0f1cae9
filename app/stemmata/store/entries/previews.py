"""Previews of entries and titles of sessions, computed from their content."""

from __future__ import annotations

import sqlite3
from heapq import nsmallest
from itertools import chain, compress, count, repeat
from operator import eq

from stemmata.domain.entries.blocks import decode, plain_text, split_attachments
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.preview import preview_of
from stemmata.domain.entries.tree import Tree
from stemmata.domain.text.titles import title_in
from stemmata.domain.text.tool_wrappers import CAVEAT, prompt_in, without_wrappers
from stemmata.domain.text.warm_up import is_warm_up
from stemmata.store.core.stored_json import from_json
from stemmata.store.core.stored_text import restored, shown
from stemmata.store.entries.content import ContentRepository
from stemmata.store.entries.tree_loader import TreeLoader

GLANCE = 20_000  # characters of a prompt that are looked at: much may be wrapped before it
PROMPTS = 50  # looked at for one that the person wrote
# key of a tree's memo: the number of entries that were examined, and the first prompts among them
_PROMPTS = "prompts"
_RAW = f"GLOB '<[a-z]*' OR {{0}} GLOB '{CAVEAT}*'"
_WRAPPED = f"""
    SELECT key FROM entries
    WHERE role IN ({int(Role.USER)}, {int(Role.CUSTOM)}) AND (preview {_RAW.format("preview")})"""
_ENTRY = """
    SELECT kind, role, name, ifnull(head, body) FROM entries JOIN bodies ON bodies.key = entries.key
    WHERE entries.key = ?"""
_SESSIONS = f"SELECT key FROM sessions WHERE prompt {_RAW.format('prompt')}"


def first_prompt(tree: Tree, content: ContentRepository) -> str:
    """Return the title of a session, from the first prompt of the person; without one, from the first command."""
    other = ""
    for entry in said_by_the_person(tree):
        key = tree.key(entry)
        blocks = content.cut_bodies([key], GLANCE)[key].blocks
        text = (split_attachments(blocks)[1] or plain_text(blocks)).strip()
        prompt = prompt_in(text)
        if prompt and not is_warm_up(prompt):
            return shown(title_in(prompt))
        other = other or prompt or without_wrappers(text)
    return shown(title_in(other))


def said_by_the_person(tree: Tree) -> list[int]:
    """Return the first prompts by time; keys are no guide, since roots may be written last.

    The tree keeps them for the trees that are extended from it, so that only its new entries are looked at.
    """
    seen, known = tree.memo.get(_PROMPTS, (0, ()))
    if seen < len(tree):
        times, flags, others = tree.columns.time, tree.columns.flags, int(Flag.INJECTED | Flag.HIDDEN)
        users = compress(count(seen), map(eq, tree.columns.role[seen:], repeat(int(Role.USER))))
        said = (entry for entry in users if not flags[entry] & others)
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


def shorten_titles(connection: sqlite3.Connection) -> None:
    """Make titles of the stored first lines of prompts. For the migration: no tree is read."""
    for key, prompt in connection.execute("SELECT key, prompt FROM sessions WHERE prompt <> ''").fetchall():
        connection.execute("UPDATE sessions SET prompt = ? WHERE key = ?", (shown(title_in(restored(prompt))), key))
