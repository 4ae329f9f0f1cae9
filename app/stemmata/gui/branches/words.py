"""The texts of the navigator's rows."""

from __future__ import annotations

from time import time_ns

from PySide6.QtCore import QCoreApplication

from stemmata.domain.context.breakdown import Sizes
from stemmata.domain.context.projection import SUPERSEDED
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.entry_rows import EntryRow
from stemmata.domain.entries.figures import UNKNOWN, Figure
from stemmata.domain.navigator.outline import Density, Row, Shape
from stemmata.domain.text.one_line import one_line
from stemmata.domain.text.phrases import from_data
from stemmata.domain.tool_calls.kinds import details_of
from stemmata.gui.sessions.words import day
from stemmata.gui.text.phrases import translate_phrase
from stemmata.gui.widgets.figures import figure_text, number

PLAIN_FORK = 2  # with at most two branches, the graph suffices and no numbers are shown


def tr(text: str, comment: str | None = None, count: int = -1) -> str:
    """Translate a text in the context of the navigator."""
    return QCoreApplication.translate("Branches", text, comment, count)


def density_name(density: Density) -> str:
    """Return the translated name of a density."""
    return {
        Density.TURNS: tr("Turns"),
        Density.PROMPTS: tr("Prompts only"),
        Density.NO_TOOLS: tr("No tools"),
        Density.LABELLED: tr("Labelled"),
        Density.EVERYTHING: tr("Everything"),
    }[density]


def title(row: Row, entry: EntryRow | None, sizes: Sizes | None = None) -> str:
    """Return the text of a row. `entry` is the entry that it shows; `sizes` are the sizes around a compaction."""
    if row.shape is Shape.COMPACTION:
        return _compacted(sizes or Sizes(UNKNOWN, UNKNOWN))
    if entry is None:
        return tr("(no longer in the archive)")
    if row.shape is Shape.BRANCH_SUMMARY:
        return tr("Abandoned branch: {0}").format(entry.preview) if entry.preview else tr("Abandoned branch")
    is_said = entry.kind is Kind.MESSAGE or entry.kind is Kind.CUSTOM_MESSAGE
    words = _said(entry) if is_said else _noted(entry)
    return tr("{0} (other text)").format(words) if entry.flags & Flag.VARIANT else words


def note_text(details: str) -> str:
    """Return the first line of a note that Stemmata wrote, in the language of the window; "" for other entries."""
    return one_line(translate_phrase(from_data(details_of(details).get("phrase"))))


def removed_word() -> str:
    """Return the short form of `removed_words`, for narrow columns."""
    return tr("removed")


def removed_words(tool: str, time: int) -> str:
    """Return that a tool removed an entry, such as `removed by Zed on 12 Nov`; without the day when `time` is 0."""
    if not time:
        return tr("removed by {0}").format(tool)
    return tr("removed by {0} on {1}").format(tool, day(time, time_ns()))


def meta(row: Row, *, hidden: int = 0, streaming: bool = False) -> str:
    """Return the text at the right of a row, such as `2/3`, `12 tools`, `summary`, or `+7` for folded rows."""
    if streaming:
        return tr("streaming")
    parts = []
    if row.siblings and row.siblings[1] > PLAIN_FORK:
        parts.append("{}/{}".format(*row.siblings))
    if row.tools:
        parts.append(tr("%Ln tools", None, row.tools))
    if row.shape is Shape.BRANCH_SUMMARY:
        parts.append(tr("summary"))
    if hidden:
        parts.append(f"+{number(hidden)}")
    return " · ".join(parts)


def figures(row: Row, *, hidden: int = 0) -> list[str]:
    """Return the figures of a row in words: `version 2 of 3`, `12 tools`, `7 rows folded`."""
    out = []
    if row.siblings:
        out.append(tr("version {0} of {1}").format(*map(number, row.siblings)))
    if row.tools:
        out.append(tr("%Ln tools", None, row.tools))
    if row.shape is Shape.BRANCH_SUMMARY:
        out.append(tr("summary"))
    if hidden:
        out.append(tr("%Ln rows folded", None, hidden))
    return out


def empty_text(density: Density) -> str:
    """Return the explanation shown when a session has no rows at this density."""
    if density is Density.LABELLED:
        return tr("No turn has a label. Press L to label a turn, 1 to show all turns.")
    return tr("No messages yet.")


def spoken(row: Row, text: str, *, active: bool, hidden: int = 0, leaf: bool = False, removed: str = "") -> str:
    """Return the text of a row for screen readers, such as `You: …, 2 of 3, on active path`."""
    parts = [f"{_speaker(row.shape)}: {text}"]
    if row.label:
        parts.append(tr("labelled {0}").format(row.label))
    parts += figures(row, hidden=hidden)
    if row.pinned:
        parts.append(tr("pinned"))
    if row.deleted:
        parts.append(tr("deleted"))
    if removed:
        parts.append(removed)
    parts.append(tr("current leaf") if leaf else tr("on active path") if active else tr("on another branch"))
    return ", ".join(parts)


def with_streaming(spoken: str) -> str:
    """Return the text for screen readers of a row whose reply is streaming."""
    return tr("{0}, reply streaming").format(spoken)


def _speaker(shape: Shape) -> str:
    return {
        Shape.USER: tr("You"),
        Shape.ASSISTANT: tr("Assistant"),
        Shape.TOOL: tr("Tool"),
        Shape.COMPACTION: tr("Compaction"),
        Shape.BRANCH_SUMMARY: tr("Branch summary"),
        Shape.SETTING: tr("Setting"),
        Shape.NOTE: tr("Note"),
    }[shape]


def _compacted(sizes: Sizes) -> str:
    """Return the text of a compaction; the size after it is marked as an estimate."""
    before, after = sizes
    if after.value is None:
        return tr("Compacted {0}").format(figure_text(before)) if before.value else tr("Compacted")
    told = figure_text(Figure.estimated(after.value))
    if not before.value:
        return tr("Compacted to {0}").format(told)
    return tr("Compacted {0} → {1}").format(figure_text(before), told)


def _said(entry: EntryRow) -> str:
    if entry.role is Role.TOOL_RESULT:
        words = ": ".join(filter(None, (entry.tool, entry.preview))) or tr("(no text)")
        return tr("{0} (failed)").format(words) if entry.flags & Flag.FAILED else words
    if entry.role is Role.BASH_EXECUTION:
        return f"$ {entry.name}"
    if entry.role is Role.ASSISTANT:
        return _answered(entry)
    return (
        entry.preview or entry.name or (tr("Note for the model") if entry.flags & Flag.INJECTED else tr("(no text)"))
    )


def _answered(entry: EntryRow) -> str:
    if entry.flags & Flag.ABORTED:
        return tr("{0} (stopped)").format(entry.preview).strip()
    if entry.flags & Flag.FAILED:
        return tr("{0} (failed)").format(entry.preview).strip()
    return entry.preview or tr("(no text)")


def _noted(entry: EntryRow) -> str:
    match entry.kind:
        case Kind.MODEL_CHANGE:
            return tr("Model: {0}").format(entry.model)
        case Kind.THINKING_LEVEL_CHANGE:
            return tr("Thinking: {0}").format(entry.name)
        case Kind.SESSION_INFO:
            return tr("Named “{0}”").format(entry.name)
        case Kind.LABEL:
            return tr("Label “{0}”").format(entry.name) if entry.name else tr("Label removed")
        case Kind.PIN:
            return tr("Unpinned") if entry.name == "off" else tr("Pinned")
        case Kind.TRASH:
            return tr("Restored from trash") if entry.name == "off" else tr("Moved to trash")
        case Kind.TOOL_PRUNE:
            return tr("Tool output pruned")
        case Kind.OMISSION:
            words = {"out": tr("Entry excluded from the context"), "cut": tr("Entry cut")}
            words |= dict.fromkeys(SUPERSEDED, tr("Duplicate tool output pruned"))
            return words.get(entry.name, tr("Entry sent in full again"))
        case Kind.SKILL:
            text = tr("Skill activated: {0}") if entry.tokens else tr("Skill deactivated: {0}")
            return text.format(entry.name)
        case _:
            return entry.preview or entry.name or entry.kind.text
