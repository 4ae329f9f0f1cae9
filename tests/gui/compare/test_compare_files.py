"""The files of two branches: what was changed stands apart from what was only read. And what the header tells."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from stemmata.domain.entries.blocks import ToolCall
from stemmata.gui.compare.view import CompareView
from stemmata.gui.widgets.labels import ElidedLabel
from tests.fakes.conversation import assistant, call, user
from tests.gui.compare.conftest import Bench, MakeView


def lines(view: CompareView) -> list[QWidget]:
    items = (view.panel.file_rows.itemAt(at) for at in range(view.panel.file_rows.count()))
    return [widget for item in items if item is not None and (widget := item.widget()) is not None]


def told(view: CompareView) -> list[str]:
    return [widget.text() if isinstance(widget, QLabel) else widget.accessibleName() for widget in lines(view)]


def uses(tool: str, *paths: str) -> list[ToolCall]:
    return [call(f"{tool}{at}", tool, f'{{"path":"/w/{path}"}}') for at, path in enumerate(paths)]


def test_files_that_were_only_read_stand_under_a_heading_of_their_own(make_view: MakeView) -> None:
    left = [user("go"), assistant(*uses("write", "z.py"), *uses("read", "a.py", "b.py"))]
    view = make_view(Bench(left, [user("go")]))
    assert told(view) == [
        "/w/z.py: main only", "Read, not changed",
        "/w/a.py (read, not changed): main only", "/w/b.py (read, not changed): main only",
    ]  # fmt: skip


def test_the_heading_is_there_where_nothing_was_changed(make_view: MakeView) -> None:
    view = make_view(Bench([user("go"), assistant(*uses("read", "a.py"))], [user("go")]))
    assert told(view)[0] == "Read, not changed"
    name = lines(view)[1].findChild(ElidedLabel)
    assert name is not None
    assert "/w/a.py (read, not changed)" in name.toolTip()


def test_a_path_is_never_read_as_markup(make_view: MakeView) -> None:
    view = make_view(Bench([user("go"), assistant(*uses("write", "<img src=x>"))], [user("go")]))
    name = lines(view)[0].findChild(ElidedLabel)
    assert name is not None
    assert name.toolTip() == "<qt>/w/&lt;img src=x&gt;</qt>"


def test_what_is_compared_is_told_in_words_where_there_is_room(make_view: MakeView) -> None:
    view = make_view()
    button = view.filter_button
    assert button.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonTextOnly
    assert button.width() >= button.fontMetrics().horizontalAdvance(button.text())
    view.resize(760, 600)
    assert button.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonIconOnly
