"""What is known of a model, in words: its window and prices, and who said so."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.chat.connections import OfferedModel
from stemmata.gui.widgets.context_words import tokens_text
from stemmata.gui.widgets.figures import dollars, number


def tr(text: str) -> str:
    return QCoreApplication.translate("Models", text)


def window_note(known: Model | None, offered: OfferedModel | None) -> str:
    """`200k`; `≤ 131k` where the model could take so much, and may be run with less; `—` when nobody said."""
    if known is None or known.window is None:
        return "—"
    return f"≤ {tokens_text(known.window)}" if _is_bound(known, offered) else tokens_text(known.window)


def model_hint(known: Model | None, offered: OfferedModel | None) -> str:
    """Window and prices with where they come from, one a line; "" when nothing is known."""
    if known is None:
        return ""
    lines = []
    if known.window is not None:
        lines.append(_window_text(known, offered))
    if known.input_price is not None and known.output_price is not None:
        told = offered is not None and offered.input_price == known.input_price
        text = tr("{0} in, {1} out for a million tokens, as its server reports")
        text = text if told else tr("{0} in, {1} out for a million tokens, as listed or set")
        lines.append(text.format(dollars(known.input_price), dollars(known.output_price)))
    return "\n".join(lines)


def _window_text(known: Model, offered: OfferedModel | None) -> str:
    assert known.window is not None
    if offered is None or offered.window != known.window:
        text = tr("Window of {0} tokens, as listed or set")
    elif offered.is_bound:
        text = tr("Takes up to {0} tokens; its server has not loaded it yet, and may give it less")
    else:
        text = tr("Window of {0} tokens, as its server reports")
    return text.format(number(known.window))


def _is_bound(known: Model, offered: OfferedModel | None) -> bool:
    return offered is not None and offered.is_bound and offered.window == known.window
