"""What the navigator says of a row under the mouse. What a file says is shown as it is, never read as markup."""

from __future__ import annotations

from html import escape

from stemmata.gui.branches.model import BranchesModel
from stemmata.gui.branches.words import tr


def tooltip(model: BranchesModel, row: int) -> str:
    """The whole line, then what is known of the row."""
    shown = model.shown(row)
    lines = [escape(shown.text)]
    facts = [shown.meta] if shown.meta else []
    if shown.row.label:
        facts.insert(0, tr("labelled {0}").format(shown.row.label))
    if shown.row.pinned:
        facts.append(tr("pinned"))
    facts.append(
        tr("current leaf") if shown.leaf else tr("on active path") if shown.active else tr("on another branch")
    )
    lines.append(escape(" · ".join(facts)))
    return f"<qt>{'<br>'.join(lines)}</qt>"
