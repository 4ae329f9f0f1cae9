"""A dialog that shows an entry's stored record, to read and copy."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import orjson
from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QShowEvent, QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.transcript.json_view import JsonView
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.clipboard import put_on_clipboard
from stemmata.gui.widgets.figures import size_text
from stemmata.gui.widgets.labels import label
from stemmata.gui.widgets.popup import dialog_size

FIRST_PART = 64_000  # characters shown before *Show all*
FIRST_LINES = 4_000
LINE = 1_000  # characters; longer lines are broken, because a text view takes seconds for a line of megabytes


MOST_JSON = 1_000_000  # characters: Python runs nothing else while they are parsed, which takes 5 ms
NO_JSON = object()


@dataclass(frozen=True, slots=True)
class RawText:
    """A record: `text` is copied, `shown` has its long lines broken, `first` is the beginning of `shown`."""

    text: str
    shown: str
    first: str
    size: int  # bytes
    from_source: bool
    value: object = NO_JSON  # the value of a record that is JSON and short enough to be shown folded

    @property
    def is_cut(self) -> bool:
        """Whether `first` is shorter than `shown`."""
        return len(self.first) < len(self.shown)


def raw_text(record: bytes | None, row: EntryRow, body: Body) -> RawText:
    """Return the text of a record; without a record, the stored form. Bytes that are not UTF-8 are escaped."""
    text = stored(row, body) if record is None else record.decode("utf-8", "backslashreplace")
    shown = broken(text)
    first = shown[: end_of_part(shown, 0, FIRST_PART, FIRST_LINES)]
    size = len(text.encode("utf-8", "replace")) if record is None else len(record)
    return RawText(text, shown, first, size, record is not None, _parsed(text))


def _parsed(text: str) -> object:
    """Return the value of a JSON text; NO_JSON for another or a longer text."""
    if len(text) > MOST_JSON or text.lstrip()[:1] not in ("{", "["):
        return NO_JSON
    try:
        value: object = orjson.loads(text)
    except ValueError:  # also for JSON that is nested too deep
        return NO_JSON
    return value


def end_of_part(text: str, start: int, size: int, lines: int) -> int:
    """Return the end of a part of at most `size` characters and `lines` lines, preferably at a line break."""
    stop = min(start + size, len(text))
    if text.count("\n", start, stop) > lines:
        for _ in range(lines):
            start = text.find("\n", start) + 1
        return start - 1
    end = text.rfind("\n", start + size // 2, stop)
    return end if stop < len(text) and end > 0 else stop


def stored(row: EntryRow, body: Body) -> str:
    """Return the row and its blocks as indented JSON."""
    facts = {name: value for name, value in asdict(row).items() if name not in ("preview", "kind", "role", "flags")}
    facts |= {"kind": row.kind.name, "role": row.role.name, "flags": row.flags.name or ""}
    facts["blocks"] = [{"type": type(block).__name__, **asdict(block)} for block in body.blocks]
    facts["details"] = body.details
    return json.dumps(facts, indent=2, ensure_ascii=False)


def broken(text: str) -> str:
    """Return the text with each line that is longer than LINE characters split into lines of that length."""
    lines = (line[at : at + LINE] for line in text.split("\n") for at in range(0, max(len(line), 1), LINE))
    return "\n".join(lines)


PART, PART_LINES = 10_000, 400  # characters and lines added at a time: more take longer than a frame


class RawDialog(QDialog):
    """Shows an entry's source record: JSON as a tree that folds, and as text.

    A long text is cut until the user presses *Show all*.
    """

    def __init__(self, theme: Theme, parent: QWidget, raw: RawText) -> None:
        super().__init__(parent)
        self.setObjectName("rawDialog")
        self.setWindowTitle(self.tr("Raw entry"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme = theme
        self._raw = raw
        self._size = end_of_part(raw.first, 0, PART, PART_LINES)  # number of displayed characters
        self._wanted = len(raw.first)  # number of characters to display
        self._more = QTimer(self, interval=0)
        self._more.timeout.connect(self._show_more)
        self.text = QPlainTextEdit(raw.first[: self._size], readOnly=True, undoRedoEnabled=False)
        self.text.setProperty("framed", True)
        self.text.setFont(theme.font("code"))
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(self.tr("Raw entry"))
        self.all = push_button(self.tr("Show all ({0})").format(size_text(raw.size)), self.show_all, look="link")
        self.all.setVisible(raw.is_cut and raw.value is NO_JSON)
        self.copy = push_button(self.tr("Copy"), self._on_copied, look="primary")
        foot = QHBoxLayout()
        foot.setSpacing(metrics.SPACE[4])
        self._pages = QStackedWidget()
        self.tree: JsonView | None = None
        if raw.value is not NO_JSON:
            self.tree = JsonView(theme, raw.value)
            self._pages.addWidget(self.tree)
        self._pages.addWidget(self.text)
        self.switch = QTabBar()
        self.switch.setExpanding(False)
        self.switch.setAccessibleName(self.tr("Record as a tree or as text"))
        self.switch.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        for name in (self.tr("Tree"), self.tr("Text")):
            self.switch.addTab(name)
        self.switch.setVisible(self.tree is not None)
        self.switch.currentChanged.connect(self._show_page)
        foot.addWidget(self.switch)
        foot.addWidget(self.all)
        foot.addStretch(1)
        foot.addWidget(push_button(self.tr("Close"), self.close))
        foot.addWidget(self.copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[metrics.SPACE[7]] * 4)
        column.setSpacing(metrics.SPACE[5])
        column.addWidget(label(self._note(), "small", wrap=True))
        column.addWidget(self._pages, 1)
        column.addLayout(foot)
        self.resize(self.sizeHint())
        if self._size < self._wanted:
            self._more.start()

    def sizeHint(self) -> QSize:
        return dialog_size(self._theme, self)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        (self.tree or self.text).setFocus()

    def _show_page(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        self.all.setVisible(self._raw.is_cut and self._wanted < len(self._raw.shown) and page > 0)

    def show_all(self) -> None:
        """Add the rest of the record, part by part, so that the window stays responsive."""
        self.all.hide()
        self._wanted = len(self._raw.shown)
        self._more.start()

    def _show_more(self) -> None:
        shown, start = self._raw.shown, self._size
        self._size = stop = min(end_of_part(shown, start, PART, PART_LINES), self._wanted)
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(shown[start:stop])
        if stop >= self._wanted:
            self._more.stop()

    def _note(self) -> str:
        size = size_text(self._raw.size)
        if self._raw.from_source:
            return self.tr("The source record as imported, {0}.").format(size)
        return self.tr("This entry was created in Stemmata and has no source record. Its stored form, {0}.").format(
            size
        )

    def _on_copied(self) -> None:
        put_on_clipboard(self._raw.text)
