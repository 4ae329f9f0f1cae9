"""Models of lists answer for rows that are gone: Qt asks for the clicked row after the click was handled.

An error in such an answer ends the program.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QCoreApplication, QModelIndex, Qt

from stemmata.gui.files.model import RowsModel
from stemmata.gui.palette.rows import PaletteModel
from stemmata.gui.search.rows import ResultsModel
from stemmata.gui.sessions.model import SessionsModel
from stemmata.gui.transcript.json_view import JsonModel

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
    own = {
        kind
        for parent in (QAbstractItemModel, QAbstractListModel)
        for kind in parent.__subclasses__()
        if kind.__module__.startswith("stemmata.")
    }
    assert own == {*MODELS, JsonModel}, "of JsonModel no row is ever removed"
