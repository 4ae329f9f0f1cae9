"""What the person says of one model; what is left open is as it is shipped, or as its server reports it."""

from __future__ import annotations

import re
from decimal import Decimal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit

from stemmata.domain.chat.catalogue import Model
from stemmata.gui.theme.theme import Theme
from stemmata.gui.widgets.figures import MILLION, dollars, number
from stemmata.gui.widgets.form import Form
from stemmata.gui.widgets.form_field import FormField, LinesEdit
from stemmata.services.settings.own_models import KnownModel

UNITS = {"": 1, "k": 1000, "m": MILLION}
_TOKENS = re.compile(r"(\d+(?:\.\d+)?)([km]?)")
_PRICE = re.compile(r"\d+(?:\.\d+)?")


class ModelForm(Form):
    """The signals carry the model, and the id it was said of before, "" for a new one."""

    save_requested = Signal(object, str)
    remove_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("modelForm")
        self._before = ""
        self.id = QLineEdit()
        self.aliases = LinesEdit(theme)
        self._sizes = [
            FormField(self.tr("Window"), QLineEdit(), self.tr("Tokens, such as 200000 or 200k.")),
            FormField(self.tr("Longest reply"), QLineEdit(), self.tr("Tokens. No reply is asked to be longer.")),
        ]
        names = (self.tr("Input"), self.tr("Output"), self.tr("Read from the cache"), self.tr("Written to the cache"))
        self._prices = [
            FormField(name, QLineEdit(), self.tr("Dollars for a million tokens, such as 2.5.")) for name in names
        ]
        self._id = FormField(
            self.tr("Model"),
            self.id,
            self.tr("Its id as its server calls it; those that begin with it are meant too."),
        )
        self.add(self._id)
        for field in (*self._sizes, *self._prices):
            self.add(field)
        self.add(FormField(self.tr("Other names"), self.aliases, self.tr("Ids of the same model, one a line.")))
        self.save.clicked.connect(self._on_save)
        self.remove.clicked.connect(lambda: self.remove_requested.emit(self._before))
        self.finish()

    @property
    def figures(self) -> list[QLineEdit]:
        """Window, longest reply, and the prices of input, output, reading and writing the cache."""
        found = [field.control for field in (*self._sizes, *self._prices)]
        return [control for control in found if isinstance(control, QLineEdit)]

    def show_model(self, known: KnownModel | None) -> None:
        """None for a new one. What counts where nothing is written stands in the empty fields."""
        known = known or KnownModel(Model(""))
        own, shipped = known.own or Model(known.model.id), known.shipped or Model("")
        self._before = "" if known.own is None else own.id
        self.title.setText(self.tr("Model {0}").format(own.id) if own.id else self.tr("New model"))
        self.id.setText(own.id)
        self.id.setReadOnly(known.shipped is not None)
        for field, size, otherwise in zip(
            self.figures, (own.window, own.most_output), (shipped.window, shipped.most_output), strict=False
        ):
            field.setText("" if size is None else str(size))
            field.setPlaceholderText(self.tr("not known") if otherwise is None else number(otherwise))
        for field, price, otherwise in zip(self.figures[2:], own.prices, shipped.prices, strict=True):
            field.setText("" if price is None else f"{price / MILLION:.6f}".rstrip("0").rstrip("."))
            field.setPlaceholderText(self.tr("not known") if otherwise is None else dollars(otherwise))
        self.aliases.setPlainText("\n".join(own.aliases))
        self.remove.setVisible(known.own is not None)
        self.remove.setText(self.tr("Reset to shipped") if known.shipped else self.tr("Remove"))
        self.rewind()
        (self.figures[0] if known.shipped else self.id).setFocus()

    def model(self) -> Model | None:
        """As the fields stand; None, and the field says why, where they cannot be read."""
        for field in (self._id, *self._sizes, *self._prices):
            field.tell("")
        sizes = [self._size(field, text.text()) for field, text in zip(self._sizes, self.figures, strict=False)]
        prices = [self._price(field, text.text()) for field, text in zip(self._prices, self.figures[2:], strict=True)]
        wrong = [field for field in (*self._sizes, *self._prices) if not field.problem.isHidden()]
        id = self.id.text().strip().lower()
        if not id:
            self.show_problem(self._id, self.tr("Give one, please."))
        elif wrong:
            self.show_problem(wrong[0], wrong[0].problem.text())
        if wrong or not id:
            return None
        input, output, read, written = prices
        aliases = tuple(self.aliases.lines)
        return Model(id, sizes[0], input, output, read, written, sizes[1], aliases)

    def _size(self, field: FormField, text: str) -> int | None:
        found = _TOKENS.fullmatch(_plain(text))
        size = None if found is None else Decimal(found[1]) * UNITS[found[2]]
        if text.strip() and (size is None or not 0 < size <= 10**9 or size != int(size)):
            field.tell(self.tr("Give a whole number of tokens, such as 200000 or 200k."))
            return None
        return None if size is None else int(size)

    def _price(self, field: FormField, text: str) -> int | None:
        plain = _plain(text).lstrip("$")
        price = Decimal(plain) if _PRICE.fullmatch(plain) else None
        if text.strip() and (price is None or price >= MILLION):
            field.tell(self.tr("Give dollars for a million tokens, such as 2.5."))
            return None
        return None if price is None else round(price * MILLION)

    def _on_save(self) -> None:
        if (model := self.model()) is not None:
            self.save_requested.emit(model, self._before)


def _plain(text: str) -> str:
    """Without what groups its digits."""
    return re.sub(r"[\s,_]", "", text).lower()
