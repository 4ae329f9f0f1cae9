"""The palette offers by a few letters, what was chosen lately first, and says on which branch a hit lies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from stemmata.gui.palette.controller import scoped
from stemmata.gui.palette.delegate import caps
from stemmata.gui.palette.dialog import CommandPalette
from stemmata.gui.palette.rows import ActionRow, HitRow, PaletteHeading, PaletteRow, SessionHitRow
from tests.fakes.waiting import PATIENCE
from tests.journeys.person import Person


@pytest.fixture
def palette(person: Person, session_file: Path) -> CommandPalette:
    person.drop(session_file)
    person.until(lambda: person.window.sessions_model.total == 1)
    return opened(person)


def opened(person: Person) -> CommandPalette:
    person.window.actions_table["palette"].trigger()
    assert person.window.palette_box.isVisible()
    return person.window.palette_box


def ids(palette: CommandPalette) -> list[str]:
    return [row.id for row in palette.rows if isinstance(row, ActionRow)]


def under(palette: CommandPalette, heading: str) -> list[PaletteRow]:
    """The lines of one group."""
    at = palette.rows.index(PaletteHeading(heading)) + 1
    out: list[PaletteRow] = []
    for row in palette.rows[at:]:
        if isinstance(row, PaletteHeading):
            break
        out.append(row)
    return out


def hits(palette: CommandPalette) -> list[HitRow]:
    return [row for row in palette.rows if isinstance(row, HitRow)]


def wait_for(person: Person, palette: CommandPalette, text: str, found: Callable[[], bool]) -> None:
    palette.field.clear()
    QTest.keyClicks(palette.field, text)
    person.until(found)


def test_all_actions_that_make_sense_are_there(person: Person, palette: CommandPalette) -> None:
    person.until(person.is_planned)  # the tree is there
    palette = opened(person)
    enabled = {spec.id for spec, action in person.window.actions_table if action.isEnabled() and spec.in_palette}
    assert enabled <= set(ids(palette))
    assert "import" in ids(palette)
    assert "delete" not in ids(palette)


def test_a_few_letters_are_enough(person: Person, palette: CommandPalette) -> None:
    wait_for(person, palette, "exse", lambda: ids(palette)[:1] == ["export"])
    assert under(palette, "Actions")[0].text == "\ue000Ex\ue001port \ue000se\ue001ssion…"


def test_who_types_the_name_of_an_action_means_it(person: Person, palette: CommandPalette) -> None:
    """The action named like the query comes first, however many texts match."""
    person.until(person.is_planned)
    wait_for(person, palette, "prompt", lambda: bool(hits(palette)))
    assert palette.rows[0] == PaletteHeading("Actions")
    assert set(ids(palette)[:2]) == {"previous-prompt", "next-prompt"}
    assert palette.list.currentIndex().row() == 1
    assert ids(palette).count("previous-prompt") == 1


def test_what_has_some_of_the_letters_comes_after_what_has_the_word(
    person: Person, palette: CommandPalette, session_file: Path
) -> None:
    other = session_file.with_name("2025-02-03T04-05-06_other.jsonl")
    text = session_file.read_text(encoding="utf-8").replace("journey-1", "journey-2")
    other.write_text(text.replace("Prompt number 0: please look", "Finally get some other module"), encoding="utf-8")
    palette.hide()
    person.application.services.importing.import_paths([other]).result(PATIENCE)
    person.until(lambda: person.window.sessions_model.total == 2)
    opened(person)

    def headings() -> list[str]:
        return [row.text.partition(" ·")[0] for row in palette.rows if isinstance(row, PaletteHeading)]

    wait_for(person, palette, "fine", lambda: "All sessions" in headings())
    assert headings().index("All sessions") < headings().index("Sessions")
    wait_for(person, palette, "finally", lambda: len(under(palette, "Sessions")) == 1)
    wait_for(person, palette, "fine in:abandoned", lambda: bool(hits(palette)))
    assert not [row for row in palette.rows if isinstance(row, SessionHitRow | ActionRow)]


def test_after_a_hit_the_keys_walk_on_from_there(person: Person, palette: CommandPalette) -> None:
    wait_for(person, palette, "wrap before", lambda: bool(hits(palette)))
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    branches = person.window.branches.list
    person.until(lambda: branches.selected == person.key("usr000b0"))
    assert branches.hasFocus()
    QTest.keyClick(branches, Qt.Key.Key_J)
    assert branches.selected == person.key("ans000b0")


def test_a_hit_on_a_branch_that_was_thrown_away_says_so(person: Person, palette: CommandPalette) -> None:
    palette.hide()
    person.gui.controllers.branches.trash(person.key("usr000b0"))
    person.until(lambda: bool(person.tree.trash))
    opened(person)
    wait_for(person, palette, "wrap before", lambda: bool(hits(palette)))
    assert [row.chip for row in hits(palette)] == ["deleted branch"]


def test_what_was_chosen_lately_comes_first(person: Person, palette: CommandPalette) -> None:
    wait_for(person, palette, "light", lambda: ids(palette)[:1] == ["scheme"])
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()
    opened(person)
    (recent,) = under(palette, "Recent")
    assert isinstance(recent, ActionRow)
    assert recent.id == "scheme"
    other = person.gui.open_window()
    person.until(lambda: other.is_warm)
    other.window.actions_table["palette"].trigger()
    assert [row.text for row in under(other.window.palette_box, "Recent")] == [recent.text]
    (session,) = under(other.window.palette_box, "Sessions")
    assert isinstance(session, SessionHitRow)


def test_hits_on_other_branches_say_so(person: Person, palette: CommandPalette) -> None:
    wait_for(person, palette, "wrap before", lambda: bool(hits(palette)))
    assert [row.chip for row in hits(palette)] == ["branch 1 · abandoned"]
    wait_for(person, palette, "prompt number 7", lambda: bool(hits(palette)))
    assert [row.chip for row in hits(palette)] == [""]


def test_only_abandoned_branches_are_searched_when_asked(person: Person, palette: CommandPalette) -> None:
    wait_for(person, palette, "module", lambda: len(hits(palette)) > 1)
    row = next(at for at, row in enumerate(palette.rows) if row.text == "Search abandoned branches only")
    palette.list.clicked.emit(palette.list.model().index(row, 0))
    assert palette.field.text() == "module in:abandoned"
    person.until(lambda: bool(hits(palette)) and {row.chip for row in hits(palette)} == {"branch 1 · abandoned"})


def test_words_that_say_where() -> None:
    assert scoped("a in:active b") == ("a b", "active")
    assert scoped("in:doubt a") == ("in:doubt a", "all")


def test_keys_stand_on_caps_of_their_own() -> None:
    assert caps("Ctrl+Shift+K") == ["Ctrl", "Shift", "K"]
    assert caps("Ctrl++") == ["Ctrl", "+"]
    assert caps("") == []


def test_a_search_without_hits_says_so(person: Person, palette: CommandPalette) -> None:
    wait_for(person, palette, "zzzqqq", lambda: palette.rows == ())
    palette.field.setText("exse")  # letters of an action, in no text
    person.until(lambda: palette.rows[-1:] == (PaletteHeading("No session has this text"),))
    assert ids(palette)
