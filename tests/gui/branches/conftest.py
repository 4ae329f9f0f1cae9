"""A navigator over a small session with every kind of branch."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any
from unittest.mock import Mock

import pytest
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.entries.preview import preview_of
from stemmata.domain.entries.tree import Tree
from stemmata.gui.branches import list_view
from stemmata.gui.branches.view import BranchesView
from stemmata.gui.core.actions import Actions, State
from stemmata.gui.theme.theme import Theme
from stemmata.gui.window.action_table import TABLE


@pytest.fixture(autouse=True)
def rows_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paint all rows at once in another width, however slow the machine is."""
    monkeypatch.setattr(list_view, "PAINTING", inf)


class MemoryPages:
    """Pages over entries whose keys are their positions."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self.calls: list[int] = []

    def rows(self, keys: Sequence[int]) -> dict[int, EntryRow]:
        assert len(keys) <= 64
        self.calls.append(len(keys))
        return {key: row_of(key, self.entries[key]) for key in keys if key < len(self.entries)}

    def bodies(self, keys: Sequence[int], *, limit: int = 65536) -> dict[int, Body]:
        raise AssertionError("the navigator reads no bodies")

    def blob(self, digest: str) -> bytes | None:
        raise AssertionError("the navigator reads no images")

    def blob_head(self, digest: str, size: int) -> bytes | None:
        return self.blob(digest)


def row_of(key: int, entry: Entry) -> EntryRow:
    return EntryRow(
        key=key, id=entry.id, parent=None, kind=entry.kind, role=entry.role, time=entry.time, flags=entry.flags,
        provider=entry.provider, model=entry.model, tool=entry.tool, call=entry.call, name=entry.name, target=None,
        preview=preview_of(entry), tokens=0, usage=entry.usage,
    )  # fmt: skip


class DigestInput:
    """A session told entry by entry; every method gives the id of what it added."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def add(self, parent: str | None, **facts: Any) -> str:
        at = len(self.entries)
        self.entries.append(Entry(id=str(at), parent=parent, time=at + 1, **facts))
        return str(at)

    def ask(self, parent: str | None, text: str) -> str:
        return self.add(parent, role=Role.USER, blocks=(Text(text),))

    def answer(self, parent: str, text: str, tools: int = 0) -> str:
        for _ in range(tools):
            parent = self.add(parent, role=Role.ASSISTANT, blocks=(ToolCall("c", "read"),))
            parent = self.add(parent, role=Role.TOOL_RESULT, call="c", tool="read", blocks=(Text("content"),))
        return self.add(parent, role=Role.ASSISTANT, blocks=(Text(text),), flags=Flag.ENDS_TURN)

    def compact(self, parent: str) -> str:
        facts = {"target": parent, "usage": Usage(total=157_200), "blocks": (Text("x" * 36_000),)}
        return self.add(parent, kind=Kind.COMPACTION, **facts)

    def label(self, entry: str, text: str) -> str:
        return self.add(entry, kind=Kind.LABEL, target=entry, name=text)

    def pin(self, entry: str) -> str:
        return self.add(entry, kind=Kind.PIN, target=entry)

    @property
    def tree(self) -> Tree:
        return Tree.from_entries(self.entries)


class Session(DigestInput):
    """Rows: port 0, ported 1 (known-good), wrap 2, wrapped 3, theme 4, compacted 5, one 6, three 7, two 8, end 9."""

    def __init__(self) -> None:
        super().__init__()
        self.port = self.ask(None, "Port the selectors")
        self.ported = self.answer(self.port, "Ported", tools=2)
        self.label(self.ported, "known-good")
        self.wrap = self.ask(self.ported, "Try wrapping")
        self.wrapped = self.answer(self.wrap, "Wrapping breaks width", tools=1)
        self.theme = self.ask(self.ported, "Port the theme")
        self.compaction = self.compact(self.theme)
        self.one = self.ask(self.compaction, "One")
        self.two = self.ask(self.compaction, "Two")
        self.three = self.ask(self.compaction, "Three")
        self.end = self.answer(self.two, "All tests pass")
        self.pin(self.two)


ROWS = 10


@pytest.fixture
def session() -> Session:
    return Session()


@pytest.fixture
def pages(session: Session) -> MemoryPages:
    return MemoryPages(session.entries)


@pytest.fixture
def theme(qapp: object) -> Theme:
    return Theme("dark")


def actions_of(theme: Theme) -> Actions:
    """The window's actions, as they are while a session is open and an entry selected."""
    actions = Actions(theme, TABLE)
    actions.set_state(State.OPEN | State.ENTRY)
    return actions


@pytest.fixture
def actions(theme: Theme) -> Actions:
    return actions_of(theme)


@pytest.fixture
def acts(view: BranchesView, actions: Actions) -> Mock:
    """Stands for the controllers of the window that the actions of `view` act on."""
    controllers = Mock()
    controllers.window.branches = controllers.marked = view
    actions.connect_to(controllers)
    return controllers


@pytest.fixture
def view(qtbot: QtBot, theme: Theme, session: Session, pages: MemoryPages, actions: Actions) -> BranchesView:
    view = BranchesView(theme, pages, actions)
    qtbot.addWidget(view)
    view.resize(330, 600)
    view.show()
    view.show_tree(session.tree, int(session.end))
    return view


def chain(count: int) -> tuple[DigestInput, list[str]]:
    """Return a session of prompts, each below the one before, and their ids."""
    story = DigestInput()
    keys = [story.ask(None, "start")]
    for at in range(count - 1):
        keys.append(story.ask(keys[-1], str(at)))
    return story, keys


@pytest.fixture
def long_view(qtbot: QtBot, theme: Theme) -> BranchesView:
    """A navigator that is on the screen, over a session of 300 prompts whose keys are 0 to 299."""
    story, keys = chain(300)
    view = BranchesView(theme, MemoryPages(story.entries), actions_of(theme))
    qtbot.addWidget(view)
    view.resize(330, 600)
    view.show()
    view.show_tree(story.tree, int(keys[-1]))
    qtbot.waitExposed(view)
    return view
