"""The largest entries are told by what was asked for."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from stemmata.domain.context.breakdown import breakdown_of
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.entries.tree import Tree
from stemmata.gui.context.controller import LargeItems
from stemmata.gui.context.item_button import ItemButton, LargeItem
from tests.fakes.conversation import assistant, call, chain, result, user
from tests.fakes.pages import FakePages

FOLDER = "/home/me/project"


class Told:
    def __init__(self, *entries: Entry) -> None:
        made = chain(entries)
        self.pages = FakePages(made)
        self.items = LargeItems(self.pages)
        self.tree = Tree.from_entries(made)

    def lines(self) -> list[LargeItem]:
        breakdown = breakdown_of(context_at(self.tree, len(self.tree) - 1))
        return self.items.of(self.tree, breakdown.largest, breakdown, FOLDER)

    def words(self) -> dict[int, tuple[str, str]]:
        return {line.key: (line.who, line.what) for line in self.lines()}


def test_a_result_says_what_was_asked_for() -> None:
    told = Told(
        user("Look at both."),
        assistant(
            call("c1", "read", '{"path":"/home/me/project/src/a.py"}'), call("c2", "bash", '{"command":"make"}')
        ),
        result("c1", "x = 1\n" * 300),
        result("c2", "all built\n" * 100, tool="bash"),
    )
    words = told.words()
    assert words[2] == ("read", "src/a.py")
    assert words[3] == ("bash", "make")
    assert words[0] == ("You", "Look at both.")


def test_a_call_in_a_message_of_its_own_is_found_above_other_calls() -> None:
    """Codex writes each of several calls at once as a message, and their results after them."""
    told = Told(
        user("Look at both."),
        assistant(call("c1", "exec_command", '{"cmd":"make"}')),
        assistant(call("c2", "shell", '{"command":["bash","-lc","ls src"],"workdir":"/home/me"}')),
        assistant(call("c3", "exec_command", '{"cmd":"date"}')),
        result("c1", "all built\n" * 100, tool="exec_command"),
        result("c2", "a.py\n" * 90, tool="shell"),
    )
    assert told.words()[4] == ("exec_command", "make")
    assert told.words()[5] == ("shell", "ls src")


def test_the_call_of_an_earlier_request_is_not_taken() -> None:
    told = Told(
        user("Build."),
        assistant(call("c1", "bash", '{"command":"make"}')),
        user("Go on."),
        result("c1", "built\n" * 90),
    )
    assert told.words()[3][1].startswith("built built")


def test_a_result_whose_call_is_not_there_says_how_it_begins() -> None:
    told = Told(
        user("Go on."), result("nobody", "left over\n" * 50), assistant("Well."), result("c9", "other\n" * 90)
    )
    assert told.words()[1] == ("read", " ".join(["left over"] * 50)[:200])
    assert told.words()[3][1].startswith("other other")


def test_a_call_without_arguments_says_how_its_result_begins() -> None:
    told = Told(user("List."), assistant(call("c1", "todo", "{}")), result("c1", "one\ntwo\n" * 30, tool="todo"))
    assert told.words()[2] == ("todo", " ".join(["one", "two"] * 30)[:200])


def test_a_message_without_a_known_speaker_has_its_name_in_words() -> None:
    skills, other = (
        Entry(id="", kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name=name, blocks=(Text("many words " * 90),))
        for name in ("attachment:skill_listing", "a_name_that_is_quite_long")
    )
    words = Told(user("Look."), skills, other).words()
    assert (words[1][0], words[2][0]) == ("List of skills", "a_name_that_is_quite_…")


def test_calls_are_read_once_for_a_session() -> None:
    told = Told(user("Look."), assistant(call("c1")), result("c1", "long\n" * 100), assistant("So."))
    first = told.lines()
    read = [count for name, count in told.pages.calls if name == "bodies"]
    assert told.lines() == first
    assert [count for name, count in told.pages.calls if name == "bodies"] == read == [1]


def test_another_tree_has_other_calls() -> None:
    told = Told(user("Look."), assistant(call("c1")), result("c1", "long\n" * 100))
    other = Told(user("Look."), assistant(call("c1", arguments='{"path":"b.py"}')), result("c1", "long\n" * 100))
    assert told.words()[2][1] == "a.py"
    told.pages.entries, told.tree = other.pages.entries, other.tree
    assert told.words()[2][1] == "b.py"


def test_the_button_of_an_item_feels_the_mouse_on_its_texts(qtbot: QtBot) -> None:
    button = ItemButton()
    qtbot.addWidget(button)
    button.show_item(LargeItem(1, "bash", "make " * 50, 300))
    button.resize(200, 30)
    button.show()
    assert [button.childAt(x, 15) for x in range(0, 200, 10)] == [None] * 20
    assert button.toolTip() == ""
    middle = QPointF(button.rect().center())
    QApplication.sendEvent(button, QEnterEvent(middle, middle, middle))
    assert "make make" in button.toolTip()
    button.resize(4000, 30)  # more than the text needs in any font of the themes
    QApplication.sendEvent(button, QEnterEvent(middle, middle, middle))
    assert button.toolTip() == ""
