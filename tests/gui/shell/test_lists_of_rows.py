"""Models of lists answer for rows that are gone: Qt asks for the clicked row after the click was handled.

An error in such an answer ends the program.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QCoreApplication, QModelIndex, Qt

from stemmata.domain.files.log import FileUse
from stemmata.gui.files.model import HeadRow, RowsModel, UseRow
from stemmata.gui.palette.rows import PaletteModel
from stemmata.gui.search.rows import ResultsModel
from stemmata.gui.sessions.model import SessionsModel
from stemmata.gui.transcript.json_view import JsonModel
from stemmata.gui.widgets.rows import beside_headings

MODELS: dict[type[QAbstractListModel], Callable[[], QAbstractListModel]] = {
    PaletteModel: PaletteModel,
    ResultsModel: ResultsModel,
    RowsModel: RowsModel,
    SessionsModel: lambda: SessionsModel(lambda _model: None),
}


@pytest.mark.parametrize("kind", MODELS)
def test_a_row_that_is_gone_has_no_flags_and_no_data(qapp: QCoreApplication, kind: type[QAbstractListModel]) -> None:
    model = MODELS[kind]()
    assert model.rowCount() == 0
    for index in (QModelIndex(), model.createIndex(0, 0), model.createIndex(7, 0)):
        assert model.flags(index) == Qt.ItemFlag.NoItemFlags
        for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, *range(Qt.ItemDataRole.UserRole, 280)):
            assert model.data(index, role) is None


def test_every_model_is_tested() -> None:
    kinds, own = [QAbstractItemModel, QAbstractListModel], set()
    for kind in kinds:
        kinds += [each for each in kind.__subclasses__() if each not in kinds]
        if kind.__module__.startswith("stemmata.") and "data" in vars(kind):
            own.add(kind)
    assert own == {*MODELS, JsonModel}, "of JsonModel no row is ever removed"


@pytest.mark.parametrize(
    ("current", "moved", "expected"),
    [
        (1, 2, 3),  # down, across a heading
        (3, 2, 1),  # up
        (1, 0, 1),  # up, with only a heading above
        (3, 0, 1),  # to the beginning
        (1, 4, 3),  # to the end
        (-1, 0, 1),  # nothing was chosen before
    ],
)
def test_the_cursor_skips_headings(qapp: QCoreApplication, current: int, moved: int, expected: int) -> None:
    model = RowsModel()
    model.set_rows([HeadRow("src"), _file("a"), HeadRow("tests"), _file("b"), HeadRow("Read, not changed")])
    assert beside_headings(model.index(current), model.index(moved)).row() == expected


def test_the_cursor_stays_when_there_are_only_headings(qapp: QCoreApplication) -> None:
    model = RowsModel()
    model.set_rows([HeadRow("src"), HeadRow("tests")])
    assert not beside_headings(QModelIndex(), model.index(1)).isValid()


def _file(name: str) -> UseRow:
    return UseRow(FileUse(path=name), name)
