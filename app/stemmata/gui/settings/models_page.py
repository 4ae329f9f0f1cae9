"""The settings page of models: the catalogue, and the user's own facts about models."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.list_items import MODELS, FieldKind
from stemmata.gui.settings.item_form import ItemForm
from stemmata.gui.settings.list_page import clear, list_page
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.buttons import push_button
from stemmata.gui.widgets.figures import dollars, number, tokens_text
from stemmata.gui.widgets.labels import ElidedLabel, label
from stemmata.gui.widgets.surface import line, set_surface
from stemmata.services.settings.own_models import KnownModel

NO_BREAK = "\N{NO-BREAK SPACE}"  # a line of facts does not begin with a dot


class ModelRow(QWidget):
    """One model with its figures."""

    edit_requested = Signal()

    def __init__(self, known: KnownModel) -> None:
        super().__init__()
        set_surface(self, edge="bottom")
        model = known.model
        self.known = known
        self.facts = label(self._facts(), "dim", wrap=True)
        self.edit = push_button(self.tr("Edit"), self.edit_requested.emit)
        self.edit.setAccessibleName(self.tr("Edit {0}").format(model.id))
        yours = label(self.tr("your values"), "changed")
        yours.setVisible(known.own is not None)
        words = QVBoxLayout()
        words.setSpacing(metrics.SPACE[2])
        words.addLayout(line(ElidedLabel(model.id, "title"), yours))
        words.addWidget(self.facts)
        if model.aliases:
            words.addWidget(label(self.tr("Also {0}").format(", ".join(model.aliases)), "faint", wrap=True))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, metrics.SPACE[5], 0, metrics.SPACE[5])
        row.setSpacing(metrics.SPACE[5])
        row.addLayout(words, 1)
        row.addWidget(self.edit)

    def _facts(self) -> str:
        model = self.known.model
        parts = []
        if model.window is not None:
            parts.append(self.tr("Window {0}").format(tokens_text(model.window)))
        if model.most_output is not None:
            parts.append(self.tr("replies up to {0}").format(tokens_text(model.most_output)))
        for price, text in zip(
            model.prices,
            (self.tr("{0} in"), self.tr("{0} out"), self.tr("{0} from the cache"), self.tr("{0} to the cache")),
            strict=True,
        ):
            if price is not None:
                parts.append(text.format(dollars(price)))
        return f"{NO_BREAK}· ".join(parts) or self.tr("No window or price is known.")


class ModelForm(ItemForm):
    """The form of a model. Signals carry the model and its previous id, which is "" for a new model."""

    save_requested = Signal(object, str)
    remove_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, MODELS)
        self.setObjectName("modelForm")
        self._before = ""
        self.save.clicked.connect(self._on_save)
        self.remove.clicked.connect(lambda: self.remove_requested.emit(self._before))
        self.finish()

    def show_model(self, known: KnownModel | None) -> None:
        """Fill the form, empty for None. Empty fields show the values in force as placeholders."""
        known = known or KnownModel(Model(""))
        own, shipped = known.own or Model(known.model.id), known.shipped or Model("")
        self._before = "" if known.own is None else own.id
        self.title.setText(self.tr("Model {0}").format(own.id) if own.id else self.tr("New model"))
        self.controls.fill(own)
        self.controls.edit("id").setReadOnly(known.shipped is not None)
        for field in MODELS.fields:
            if field.row is not None and field.row.kind in (FieldKind.TOKENS, FieldKind.DOLLARS):
                value = getattr(shipped, field.name)
                text = (
                    "" if value is None else number(value) if field.row.kind is FieldKind.TOKENS else dollars(value)
                )
                self.controls.edit(field.key).setPlaceholderText(text or self.tr("not known"))
        self.remove.setVisible(known.own is not None)
        self.remove.setText(self.tr("Use the shipped values") if known.shipped else self.tr("Remove"))
        self.rewind()
        self.controls["window" if known.shipped else "id"].setFocus()

    def model(self) -> Model | None:
        """Return the model in the fields; None after showing a message at each invalid field."""
        return MODELS.make(**self.controls.values()) if self.is_valid() else None

    def _on_save(self) -> None:
        if (model := self.model()) is not None:
            self.save_requested.emit(model, self._before)


class ModelsPage(QStackedWidget):
    """The list of models, or the form while a model is edited."""

    save_requested = Signal(object, str)  # Model, id before
    remove_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("modelsPage")
        self.rows: dict[str, ModelRow] = {}
        self._theme, self._edited = theme, ""
        self.add = push_button(self.tr("Add a model…"), lambda: self._edit(None))
        told = self.tr(
            "Windows and prices of models. Your values take precedence over those that a server reports and those "
            "that come with Stemmata."
        )
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        self.message = label("", "error", wrap=True)
        self.addWidget(list_page(label(told, "dim", wrap=True), self.add, self._list, self.message))

    @cached_property
    def form(self) -> ModelForm:
        """The form, which is created when a model is edited first: with the list it takes longer than a frame."""
        form = ModelForm(self._theme)
        form.save_requested.connect(self.save_requested)
        form.remove_requested.connect(self.remove_requested)
        form.left.connect(self.show_list)
        self.addWidget(form)
        return form

    def show_models(self, models: Sequence[KnownModel]) -> None:
        """Show the models."""
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
        """Return from the form to the list, and restore the keyboard focus."""
        self.setCurrentIndex(0)
        row = self.rows.get(self._edited)
        (self.add if row is None else row.edit).setFocus()

    def tell(self, problem: str) -> None:
        """Show a problem on the visible page."""
        self.message.setText(problem)
        if "form" in vars(self):
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
