"""What an entry's fate is called, and the colour of its mark."""

from __future__ import annotations

from stemmata.domain.context.projection import EntryFate, Fate, Reason
from stemmata.gui.cards.words import tr

COLORS = {
    Fate.SENT: "",
    Fate.SUMMARISED: "summary",
    Fate.PRUNED: "tool",
    Fate.PINNED: "accent",
    Fate.NEVER: "line",
    Fate.CUT: "tool",
}


def fate_color(fate: EntryFate) -> str:
    """The colour token of the mark; "" for what is sent, which needs none."""
    return COLORS[fate.fate]


def fate_words(fate: EntryFate) -> str:
    """The fate in words."""
    words = {
        Fate.SENT: tr("Sent with the next request"),
        Fate.SUMMARISED: tr("Summarised by ◆"),
        Fate.PRUNED: tr("Pruned: only the tool’s name is sent"),
        Fate.CUT: tr("Cut: only its beginning and end are sent"),
        Fate.PINNED: tr("Pinned: sent word for word"),
    }
    return words[fate.fate] if fate.fate in words else _never(fate.reason)


def _never(reason: Reason | None) -> str:
    words = {
        Reason.BOOKKEEPING: tr("Never sent: bookkeeping"),
        Reason.HIDDEN_FROM_MODEL: tr("Never sent: hidden from the model"),
        Reason.ABORTED_OR_ERROR: tr("Never sent: stopped, or ended in an error"),
        Reason.EMPTY: tr("Never sent: empty"),
        Reason.EXCLUDED: tr("Never sent: excluded"),
    }
    return words[reason] if reason is not None else tr("Never sent")
