"""The models that are known, and what the person says of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from stemmata.gui.settings.list_page import clear, list_page
from stemmata.gui.settings.model_form import ModelForm
from stemmata.gui.settings.model_row import ModelRow
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.labels import label
from stemmata.services.settings.own_models import KnownModel


class ModelsPage(QStackedWidget):
    """A list, and a form in its place while one is edited."""

    save_requested = Signal(object, str)  # Model, id before
    remove_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("modelsPage")
        self.rows: dict[str, ModelRow] = {}
        self._edited = ""
        self.form = ModelForm(theme)
        self.form.save_requested.connect(self.save_requested)
        self.form.remove_requested.connect(self.remove_requested)
        self.form.left.connect(self.show_list)
        self.add = push_button(self.tr("Add a model…"), lambda: self._edit(None))
        told = self.tr(
            "Windows and prices of models that no server reports. What you say of a model comes before what its "
            "server reports and what is shipped."
        )
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        self.message = label("", "error", wrap=True)
        self.addWidget(list_page(label(told, "dim", wrap=True), self.add, self._list, self.message))
        self.addWidget(self.form)

    def show_models(self, models: Sequence[KnownModel]) -> None:
        if [row.known for row in self.rows.values()] == list(models):
            return
        focused = next((id for id, row in self.rows.items() if row.edit.hasFocus()), "")
        clear(self._list)
        self.rows = {known.model.id: self._row(known) for known in models}
        before: QWidget = self.add
        for row in self.rows.values():
            self.setTabOrder(before, row.edit)
            before = row.edit
        if focused in self.rows:
            self.rows[focused].edit.setFocus()

    def show_list(self) -> None:
        """After the form: the keys are where they were."""
        self.setCurrentIndex(0)
        row = self.rows.get(self._edited)
        (self.add if row is None else row.edit).setFocus()

    def tell(self, problem: str) -> None:
        """What went wrong, where it is seen."""
        self.message.setText(problem)
        self.form.tell(problem, works=False)

    def _row(self, known: KnownModel) -> ModelRow:
        row = ModelRow(known)
        row.edit_requested.connect(lambda: self._edit(known))
        self._list.addWidget(row)
        return row

    def _edit(self, known: KnownModel | None) -> None:
        self.message.setText("")
        self._edited = "" if known is None else known.model.id
        self.setCurrentWidget(self.form)
        self.form.show_model(known)
