"""The workbench works on single entries: pins set inside the preview, and cuts at an entry."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from stemmata.domain.entries.entry import Kind
from stemmata.gui.cards.card import Card
from stemmata.gui.transcript.cut import CutLine
from tests.journeys.hands import Mouse
from tests.journeys.person import Person


@pytest.fixture
def preview(person: Person, session_file: Path) -> Person:
    person.drop(session_file)
    person.until(person.is_planned)
    person.window.actions_table["compact"].trigger()
    person.until(lambda: person.in_workbench() and person.window.workbench.accept.isEnabled())
    return person


def pinned(person: Person) -> int:
    offer = person.gui.compaction.offer
    assert offer is not None
    return len(offer.preview.plan.pinned)


def cut_line(person: Person) -> CutLine:
    return next(line for line in person.window.transcript.view.findChildren(CutLine) if line.isVisible())


def test_a_pin_set_in_the_preview_is_kept_word_for_word_at_once(preview: Person) -> None:
    view, sizes, leaf = preview.window.transcript.view, preview.window.workbench.sizes, preview.leaf
    assert sizes.facts["pinned"].isHidden()
    view.scroll_to(preview.key("usr00001"))
    place = view.place
    Mouse(preview).pin(preview.key("usr00001"))
    preview.until(lambda: pinned(preview) == 1)
    now = preview.gui.compaction.offer
    assert now is not None
    assert sizes.facts["pinned"].value == f"1 entry · ≈ {now.pinned.value}"
    assert not sizes.facts["pinned"].isHidden()
    assert view.place == place  # the transcript stays where it is
    preview.until(lambda: preview.window.workbench.accept.isEnabled())
    preview.window.workbench.accept.click()
    preview.until(lambda: preview.leaf != leaf and any(True for _ in preview.tree.of_kind(Kind.COMPACTION)))
    preview.window.toast.click()
    preview.until(lambda: preview.leaf == leaf)


def test_p_on_the_cut_line_pins_the_entry_above_and_unpins_it(preview: Person) -> None:
    line = cut_line(preview)
    line.setFocus()
    for is_reached in (lambda: bool(pinned(preview)), lambda: not pinned(preview)):
        QTest.keyClick(line, Qt.Key.Key_P)
        preview.until(is_reached)
        assert line.isVisible()
        assert preview.window.focusWidget() is line


def entry_menu(person: Person, key: int) -> QMenu:
    view = person.window.transcript.view
    view.scroll_to(key)
    card = next(card for card in view.findChildren(Card) if card.key == key and card.isVisible())
    place = card.mapTo(view.viewport(), QPoint(40, card.height() // 2))
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, view.viewport().mapToGlobal(place))
    QApplication.sendEvent(view.viewport(), event)
    person.until(lambda: any(menu.isVisible() for menu in view.findChildren(QMenu)))
    return next(menu for menu in view.findChildren(QMenu) if menu.isVisible())


def choose(menu: QMenu, text: str) -> None:
    action = next(action for action in menu.actions() if action.text().startswith(text))
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())


def test_up_to_an_entry_from_its_menu_moves_the_cut(preview: Person) -> None:
    choose(entry_menu(preview, preview.key("ans00002")), "Summarise up to this entry")
    preview.until(lambda: preview.first_kept() == preview.key("usr00003"))
    assert preview.in_workbench()


def test_up_to_an_entry_opens_the_preview(person: Person, session_file: Path) -> None:
    person.drop(session_file)
    person.until(person.is_planned)
    choose(entry_menu(person, person.key("ans00005")), "Summarise up to this entry")
    person.until(person.in_workbench)
    assert person.first_kept() == person.key("usr00006")


def test_the_workbench_opens_in_several_turns(person: Person, session_file: Path) -> None:
    """In one turn it took longer than a frame. It is filled first, and shown behind the old picture."""
    person.drop(session_file)
    person.until(person.is_planned)
    person.see()
    window, compaction = person.window, person.gui.compaction
    kept = window.workbench.sizes.facts["kept"]
    kept.set_value("")
    seen = dict[str, tuple[bool, bool, bool]]()

    def note(name: str) -> None:
        seen.setdefault(name, (bool(kept.value), person.in_workbench(), compaction.is_open))

    # A busy machine may take several steps in one turn, so they are seen where they end.
    compaction.offered.planned.connect(lambda: note("planned"))
    compaction.mode_changed.connect(lambda: note("shown"))
    window.new_picture.completed.connect(lambda: note("painted"))
    window.actions_table["compact"].trigger()
    person.until(lambda: "painted" in seen)
    assert seen == {
        "planned": (True, False, False),  # filled while nobody sees it
        "shown": (True, True, False),
        "painted": (True, True, True),  # with its preview; until then, the old picture is shown
    }
    assert list(seen) == ["planned", "shown", "painted"]
