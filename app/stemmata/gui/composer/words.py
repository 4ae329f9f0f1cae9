"""The texts for the state of a run and its actions."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from stemmata.domain.chat.run import CompactionStage, Phase, RunState
from stemmata.gui.text.phrases import translate_phrase

SECOND = 1_000_000_000  # ns


def tr(text: str) -> str:
    """Translate a text about a run."""
    return QCoreApplication.translate("Run", text)


def run_text(state: RunState, now: int) -> str:
    """Return one line about the run, or "". `now` is in ns since the epoch."""
    doing = _compacting(state, now) or _activity_text(state, now)
    return " · ".join(part for part in (doing, translate_phrase(state.remark)) if part)


def _compacting(state: RunState, now: int) -> str:
    """Return the words about an automatic compaction, "" when the state of the run is more important."""
    if state.compaction is CompactionStage.AWAITED:
        seconds = max(0, -(-(state.compacts_at - now) // SECOND))
        return tr("Automatic compaction in {0} s, because the context is above its trigger").format(seconds)
    is_quiet = state.phase is Phase.IDLE and not state.problem
    return tr("Compacting in the background") if is_quiet and state.compaction is CompactionStage.WRITING else ""


def _activity_text(state: RunState, now: int) -> str:
    model = state.model or tr("the model")
    match state.phase:
        case Phase.IDLE:
            return translate_phrase(state.problem)
        case Phase.PREPARING:
            return tr("Preparing the request")
        case Phase.COMPACTING:
            return tr("Compacting before the request")
        case Phase.WAITING:
            return tr("Waiting for {0}").format(model)
        case Phase.STREAMING:
            return tr("{0} is answering").format(model)
        case Phase.TOOLS:
            return tr("Running {0}").format(state.tool or tr("a tool"))
        case Phase.ASKING:
            return tr("{0} asks for permission").format(state.tool or tr("A tool"))
        case Phase.RETRYING:
            return _retrying(state, now)
        case Phase.STOPPING:
            return tr("Stopping")
        case Phase.INTERRUPTED:
            return translate_phrase(state.problem) or tr("The reply broke off. The received part is kept.")
        case Phase.FAILED:
            return translate_phrase(state.problem) or tr("The request failed. Your message is kept.")


def _retrying(state: RunState, now: int) -> str:
    seconds = max(0, -(-(state.retry_at - now) // SECOND)) if state.retry_at else 0
    words = tr("Retrying in {0} s").format(seconds) if seconds else tr("Retrying")
    if state.attempt > 1:
        words = tr("{0} (attempt {1})").format(words, state.attempt)
    return " · ".join(part for part in (words, first_sentence(translate_phrase(state.problem))) if part)


def first_sentence(text: str) -> str:
    """Return the first sentence without its full stop."""
    return text.split(". ")[0].rstrip(".")


def offers_of(state: RunState) -> tuple[str, ...]:
    """Return the available actions: those of the state, and Cancel while a retry waits."""
    if state.compaction is CompactionStage.AWAITED:
        return ("compact-now", "not-now")
    if state.phase in (Phase.RETRYING, Phase.COMPACTING):
        return ("cancel", *state.offers)
    if state.phase is Phase.ASKING:
        return ("answer",)
    if state.phase is Phase.INTERRUPTED:
        return state.offers or ("continue", "retry")
    if state.phase is Phase.FAILED:
        return state.offers or ("retry",)
    return state.offers if state.phase is Phase.IDLE else ()


def offer_text(offer: str) -> str:
    """Return the label of an action."""
    names = {
        "cancel": tr("Cancel"),
        "answer": tr("Answer"),
        "continue": tr("Continue"),
        "retry": tr("Retry"),
        "compact": tr("Compact…"),
        "connect": tr("Connect a model…"),
        "model": tr("Choose a model…"),
        "settings": tr("Settings…"),
        "limit": tr("Raise the limit…"),
        "cut": tr("Cut entry"),
        "exclude": tr("Exclude entry"),
        "summarise": tr("Summarise history"),
        "take-back": tr("Return to composer"),
        "digest": tr("Use the digest"),
        "compact-now": tr("Compact now"),
        "not-now": tr("Not now"),
    }
    return names.get(offer, offer)


def level_text(level: str) -> str:
    """Return the name of a thinking level in the window's language, such as “Medium” for `medium`."""
    names = {
        "": tr("Default"),
        "off": tr("Off"),
        "minimal": tr("Minimal"),
        "low": tr("Low"),
        "medium": tr("Medium"),
        "high": tr("High"),
        "xhigh": tr("Very high"),
        "max": tr("Maximum"),
    }
    return names.get(level, level)
