"""The words about prunings and compactions, with the figures that Lis and Moltbot (now OpenClaw) show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stemmata.domain.compaction.advice import Cause, fixed_tokens, tool_tokens
from stemmata.domain.compaction.pruning import PrunePlan
from stemmata.domain.context.breakdown import Breakdown, Budget
from stemmata.domain.entries.categories import Category
from stemmata.domain.entries.entry import Usage
from stemmata.domain.entries.figures import Figure, abbreviated_count
from stemmata.domain.settings.settings import CompactionSettings
from stemmata.domain.text.phrases import Phrase, joined, plural_phrase, template
from stemmata.services.compaction.request import Compaction, CompactionRequest
from stemmata.services.context.contexts import ContextView


def count_text(tokens: int) -> str:
    """Format a number of tokens: 950, 1.2k, 157k."""
    return abbreviated_count(tokens).replace(".0k", "k")


def figure_text(figure: Figure) -> str:
    """Format a figure: `157k`, `≈ 157k` when estimated, `= 157k` when counted, `—` when unknown."""
    if figure.value is None:
        return "—"
    return f"{figure.kind.mark}{count_text(figure.value)}"


def share_text(figure: Figure, window: int | None) -> str:
    """Format a share of the window: `9.1k/150k (6%)`; only the number when the window is unknown."""
    if not window or figure.value is None:
        return figure_text(figure)
    return f"{figure_text(figure)}/{count_text(window)} ({round(100 * figure.value / window)}%)"


def listed(*lines: str) -> Phrase:
    """Join lines into one phrase."""
    return joined("\n", [joined("", ["- ", line]) for line in lines])


def cost_text(millionths: int) -> str:
    """Format millionths of a dollar."""
    return f"${millionths / 1e6:.2f}" if millionths else "—"


def pruned_title(plan: PrunePlan, scale: Breakdown) -> Phrase:
    """Return the title of the notice about a pruning. `scale` is the context before or after, on the same scale."""
    saved = round(100 * plan.freed / plan.before) if plan.before else 0
    before, after = (Figure.estimated(scale.scaled(tokens)) for tokens in (plan.before, plan.after))
    return Phrase("🔧 Tool outputs pruned ({0} → {1}, −{2}%)", figure_text(before), figure_text(after), saved)


def pruned(plan: PrunePlan, view: ContextView) -> Phrase:
    """Return the notice about a pruning: its title and the context afterwards (`view`)."""
    total = Phrase("📊 Context: {0}", share_text(view.breakdown.total, view.budget.window))
    return joined("\n", [pruned_title(plan, view.breakdown), listed(total)])


def compacted_title(done: Compaction) -> Phrase:
    """Return the title of the notice about a compaction."""
    return Phrase("⚙️ Compacted ({0} → {1})", figure_text(done.before.total), figure_text(done.after.total))


def compacted(done: Compaction) -> Phrase:
    """Return the notice about a compaction: its title and details."""
    total = Phrase("📊 Total: {0}", share_text(done.after.total, done.after.window))
    return joined("\n", [compacted_title(done), listed(*_parts(done.after), total)])


def noted(_reader: object, _request: CompactionRequest, done: Compaction) -> str:
    """Return the note about a compaction by a command; see `CompactionRequest.notice`."""
    return compacted_by(done)


def compacted_by(done: Compaction) -> Phrase:
    """Return the notice about a compaction, with the writer of the summary and its cost."""
    return joined("\n", [compacted(done), listed(written_by(done, done.usage))])


SYSTEM = template("🔧 System: {0} token"), template("🔧 System: {0} tokens")
SYSTEM_AND_TOOLS = (
    template("🔧 System with tool definitions: {0} token (inferred from the first report)"),
    template("🔧 System with tool definitions: {0} tokens (inferred from the first report)"),
)
SUMMARY = template("📝 Summary: {0} token"), template("📝 Summary: {0} tokens")
KEPT = template("💬 Kept context: {0} token"), template("💬 Kept context: {0} tokens")


def _parts(after: Breakdown) -> Iterator[Phrase]:
    def of(*categories: Category) -> Figure:
        known = [after.categories[name] for name in categories if name in after.categories]
        return sum((figure for figure in known if figure.value), Figure.reported(0))

    is_inferred = after.fixed_origin == "inferred"
    definitions, calls = of(Category.TOOL_DEFINITIONS), of(Category.TOOL_CALLS, Category.TOOL_RESULTS)
    kept = of(Category.USER, Category.ASSISTANT, Category.THINKING, Category.IMAGES, Category.MEMORY)
    named = (
        (SYSTEM_AND_TOOLS if is_inferred else SYSTEM, of(Category.SYSTEM, Category.SKILLS)),
        (SUMMARY, of(Category.SUMMARIES)),
        (KEPT, kept),
    )
    yield from (plural_phrase(*words, size.value, figure_text(size)) for words, size in named if size.value)
    whole = definitions + calls
    if is_inferred and calls.value:
        one, many = template("🛠️ Tools: {0} token of calls"), template("🛠️ Tools: {0} tokens of calls")
        yield plural_phrase(one, many, calls.value, figure_text(calls))
    elif whole.value:
        one = template("🛠️ Tools: {0} token ({1} defs + {2} calls)")
        many = template("🛠️ Tools: {0} tokens ({1} defs + {2} calls)")
        yield plural_phrase(one, many, whole.value, *map(figure_text, (whole, definitions, calls)))


def settings_told(settings: CompactionSettings) -> tuple[Phrase, ...]:
    """Describe the settings of compaction and pruning, each in one line."""
    kept = settings.keep_recent_messages
    return (
        Phrase(
            "Threshold: {0}% of the window, {1} tokens reserved",
            settings.threshold_percent,
            count_text(settings.reserve_tokens),
        ),
        Phrase("Keeps: {0} tokens", count_text(settings.keep_recent_tokens))
        if kept is None
        else plural_phrase(template("Keeps: {0} message"), template("Keeps: {0} messages"), kept, kept),
        Phrase(
            "Prunes: tool results above {0} tokens, keeps {1} tokens, policy {2}",
            count_text(settings.tool_prune_threshold),
            count_text(settings.tool_keep_threshold),
            settings.tool_policy,
        ),
        Phrase("Notices: on") if settings.notify else Phrase("Notices: off"),
        Phrase("Resumes in full up to: {0}% of the window", settings.resume_token_budget),
    )


def auto_title(count: int) -> Phrase:
    """Return the first line about an automatic compaction. `count` is the number of compactions of the session."""
    return Phrase("🧹 Auto-compaction complete (compaction {0})", count)


def auto_compacted(done: Compaction, request: CompactionRequest, count: int, advice: Phrase | None) -> Phrase:
    """Return the notice of an automatic compaction: its figures, its reason, its cost, and advice."""
    why = {
        "threshold": Phrase("Reason: after the reply, the context was above the trigger."),
        "before-request": Phrase("Reason: the next request was above the trigger."),
        "overflow": Phrase("Reason: the provider refused the request as too long."),
    }[request.trigger]
    first = [] if done.prune is None else [pruned_title(done.prune, done.before)]
    lines: list[str] = [auto_title(count), *first, compacted(done), listed(why, written_by(done, request.usage))]
    return joined("\n", lines if advice is None else [*lines, advice])


def written_by(done: Compaction, usage: Usage | None) -> Phrase:
    """Return the writer of a summary and its cost, in words."""
    if usage is None:
        return Phrase("Summary: the digest, at no cost.")
    return Phrase("Summary: {0}, {1}.", done.summary.summariser, used(usage))


def used(usage: Usage) -> Phrase:
    """Return in words how many tokens a model's answers took, and their price."""
    counts = count_text(usage.sent), count_text(usage.output)
    if usage.cost is None:
        return Phrase("{0} tokens in, {1} out", *counts)
    return Phrase("{0} tokens in, {1} out, {2}", *counts, price_text(usage.cost))


def price_text(millionths: int) -> str:
    """Format millionths of a dollar, with as many digits as a small amount needs."""
    return f"${millionths / 1e6:.2f}" if millionths >= 10_000 or not millionths else f"${millionths / 1e6:.4f}"


def advice(causes: Sequence[Cause], budget: Budget, before: Breakdown) -> Phrase:
    """Return the causes of repeated compactions, and the remedies."""
    counts = {name: count_text(tokens or 0) for name, tokens in _figures(budget, before).items()}
    words = {
        Cause.WINDOW: Phrase(
            "The model’s window is small ({0} tokens). Choose a model with a larger window.", counts["window"]
        ),
        Cause.RESERVE: Phrase(
            "{0} of {1} tokens are reserved, so compaction begins at {2}. Lower compaction.reserve_tokens.",
            counts["reserve"],
            counts["window"],
            counts["trigger"],
        ),
        Cause.FIXED: Phrase(
            "The system prompt and the tools take {0} tokens, and no compaction leaves them out. Offer fewer tools.",
            counts["fixed"],
        ),
        Cause.TOOLS: Phrase(
            "Tool results take {0} of {1} tokens. Prune tool output, or lower compaction.tool_keep_threshold.",
            counts["tools"],
            counts["total"],
        ),
        Cause.GROWTH: Phrase("Single messages or replies are large. Cut or exclude them in the context."),
    }
    told = Phrase("⚠️ Compactions are frequent and save little. See “Troubleshooting” in the guide.")
    return joined("\n", [told, listed(*(words[cause] for cause in causes))])


def _figures(budget: Budget, before: Breakdown) -> dict[str, int | None]:
    return {
        "window": budget.window,
        "reserve": budget.reserve,
        "trigger": budget.trigger,
        "fixed": fixed_tokens(before),
        "tools": tool_tokens(before),
        "total": before.total.value,
    }


def failed(error: str, cost: Phrase | None, next_try: Phrase, *, offers_digest: bool) -> Phrase:
    """Return the notice of an automatic compaction that failed. `cost` is None when no model was asked."""
    parts: list[str] = [error, *([] if cost is None else [cost]), next_try]
    if offers_digest:
        parts.append(Phrase("The digest needs no model: choose it in the preview of a compaction."))
    return joined(" ", parts)


def cost_of_failure(usage: Usage) -> Phrase:
    """Return the cost of a failed attempt, in words."""
    if not usage.sent and not usage.output:
        return Phrase("The server reported no tokens for the attempt.")
    return Phrase("The attempt cost {0}.", used(usage))
