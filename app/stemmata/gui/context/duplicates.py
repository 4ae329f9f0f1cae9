"""The section of the context column that lists tool results replaced by later ones, with their sizes and a button."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest

from PySide6.QtCore import Qt, Signal

from stemmata.domain.context.projection import Reason
from stemmata.gui.context.item_button import ItemButton, LargeItem
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.context_words import tr
from stemmata.gui.widgets.figures import tokens_text
from stemmata.gui.widgets.labels import label, set_plain_tip
from stemmata.gui.widgets.surface import TitledSection, laid_out_once

SHOWN = 4


@dataclass(frozen=True, slots=True)
class DuplicateItem:
    """A tool result that a later entry replaces, and why."""

    item: LargeItem
    reason: Reason


def file_first(subject: str) -> str:
    """Return a path with its file name first, `main.py · src/app`, since a long line is cut at its end.

    Return a text without a folder unchanged.
    """
    folder, _, name = subject.rpartition("/")
    return f"{name} · {folder}" if folder and name and " " not in subject else subject


def reason_text(reason: Reason) -> str:
    """Return why a later entry replaces a tool result."""
    words = {
        Reason.READ_AGAIN: tr("The file is read again further down."),
        Reason.CHANGED_SINCE: tr("The file was changed since, and its new text is further down."),
    }
    return words.get(reason, tr("The same call is made again further down."))


class DuplicatesSection(TitledSection):
    """The section "Duplicates", which is hidden when there are none. The largest are listed."""

    entry_chosen = Signal(int)  # store key
    prune_requested = Signal()

    def __init__(self) -> None:
        super().__init__("", rule=True)
        self.setObjectName("duplicatesSection")
        self.title.setText(self.tr("Duplicate tool output"))
        self._buttons = [ItemButton() for _ in range(SHOWN)]
        for button in self._buttons:
            button.clicked.connect(partial(self._on_clicked, button))
            self.body.addWidget(button)
        self._more = label("", "faint", wrap=True)
        self.prune = push_button(self.tr("Prune duplicates"), self.prune_requested.emit)
        self.body.addWidget(self._more)
        self.body.addWidget(self.prune, 0, Qt.AlignmentFlag.AlignLeft)
        self.hide()

    def show_duplicates(self, items: Sequence[DuplicateItem], count: int, freed: int) -> None:
        """Show the largest duplicates.

        `count` is the number of all duplicates, `freed` the number of tokens that pruning them frees.
        """
        with laid_out_once(self):
            self.note.setText(f"≈ {tokens_text(freed)}")
            for button, each in zip_longest(self._buttons, items[:SHOWN]):
                button.setVisible(each is not None)
                if each is not None:
                    button.show_item(each.item)
                    set_plain_tip(button, reason_text(each.reason))
                    button.setAccessibleDescription(reason_text(each.reason))
            more = count - len(self.buttons)
            self._more.setText(self.tr("and %Ln more", None, more))
            self._more.setVisible(more > 0)
            frees = self.tr("Frees about {0} token") if freed == 1 else self.tr("Frees about {0} tokens")
            self.prune.setAccessibleDescription(frees.format(tokens_text(freed)))
        self.setVisible(bool(items))

    def clear(self) -> None:
        """Hide the section: nothing is replaced by later results."""
        self.hide()

    @property
    def buttons(self) -> list[ItemButton]:
        """The lines that are displayed."""
        return [button for button in self._buttons if not button.isHidden()]

    def _on_clicked(self, button: ItemButton) -> None:
        self.entry_chosen.emit(button.key)
