"""What commands answer, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stemmata.domain.chat.run import Phase
from stemmata.domain.compaction.plan import PrunePlan
from stemmata.domain.context.breakdown import Breakdown
from stemmata.domain.entries.path_totals import Category
from stemmata.domain.entries.tokens import Figure, FigureKind, short
from stemmata.domain.entries.tree import Tree
from stemmata.domain.text.phrases import Phrase, joined, template
from stemmata.services.chat.command_table import COMMANDS
from stemmata.services.compaction.compaction import Compaction
from stemmata.services.context.contexts import ContextView, SessionFacts

MOST_TIPS = 20


def count_text(tokens: int) -> str:
    """950, 1.2k, 157k."""
    return short(tokens).replace(".0k", "k")


def figure_text(figure: Figure) -> str:
    if figure.value is None:
        return "—"
    return f"{'' if figure.kind is FigureKind.REPORTED else '≈ '}{count_text(figure.value)}"


def share_text(figure: Figure, window: int | None) -> str:
    """9.1k/150k (6%), or the number alone where the window is not known."""
    if not window or figure.value is None:
        return figure_text(figure)
    return f"{figure_text(figure)}/{count_text(window)} ({round(100 * figure.value / window)}%)"


def helped() -> str:
    return "\n".join(f"- `{command.usage}` {command.help}" for command in COMMANDS)


def status(facts: SessionFacts, phase: Phase) -> Phrase:
    path, whole = facts.path, facts.whole
    hits = "—" if path.cache_hits is None else Phrase("{0}% read", round(100 * path.cache_hits))
    return listed(
        Phrase("Model: {0}", facts.view.projection.model or "—"),
        Phrase("Thinking: {0}", facts.view.projection.level),
        Phrase("Context: {0}", share_text(facts.view.breakdown.total, facts.view.budget.window)),
        Phrase("Compactions: {0}", facts.session.compactions),
        Phrase("Tokens of the active path: {0} in / {1} out", count_text(path.sent), count_text(path.output)),
        Phrase("Tokens of all branches: {0} in / {1} out", count_text(whole.sent), count_text(whole.output)),
        Phrase("Cache: {0}", hits),
        Phrase("Cost: {0}", cost_text(facts.session.cost)),
        Phrase("Run: {0}", phase_text(phase)),
    )


def phase_text(phase: Phase) -> Phrase:
    """What a run is doing, in a word."""
    words = {
        Phase.IDLE: Phrase("idle"),
        Phase.PREPARING: Phrase("preparing"),
        Phase.COMPACTING: Phrase("compacting"),
        Phase.WAITING: Phrase("waiting"),
        Phase.STREAMING: Phrase("streaming"),
        Phase.TOOLS: Phrase("tools"),
        Phase.ASKING: Phrase("asking"),
        Phase.RETRYING: Phrase("retrying"),
        Phase.STOPPING: Phrase("stopping"),
        Phase.INTERRUPTED: Phrase("interrupted"),
        Phase.FAILED: Phrase("failed"),
    }
    return words[phase]


def listed(*lines: str) -> Phrase:
    return joined("\n", [joined("", ["- ", line]) for line in lines])


def cost_text(millionths: int) -> str:
    return f"${millionths / 1e6:.2f}" if millionths else "—"


def pruned(plan: PrunePlan, view: ContextView) -> Phrase:
    """`view` is that of the context after it: a pruning leaves the scale as it was."""
    saved = round(100 * (plan.before - plan.after) / plan.before) if plan.before else 0
    before, after = (Figure.estimated(view.breakdown.scaled(tokens)) for tokens in (plan.before, plan.after))
    told = Phrase("🔧 Tool outputs pruned ({0} → {1}, -{2}%)", figure_text(before), figure_text(after), saved)
    total = Phrase("📊 Context: {0}", share_text(view.breakdown.total, view.budget.window))
    return joined("\n", [told, listed(total)])


def compacted(done: Compaction) -> Phrase:
    told = Phrase("⚙️ Compacted ({0} → {1})", figure_text(done.before.total), figure_text(done.after.total))
    total = Phrase("📊 Total: {0}", share_text(done.after.total, done.after.window))
    return joined("\n", [told, listed(*_parts(done.after), total)])


def _parts(after: Breakdown) -> Iterator[Phrase]:
    def of(*categories: Category) -> int:
        return sum(after.categories[name].value or 0 for name in categories if name in after.categories)

    definitions, calls = of(Category.TOOL_DEFINITIONS), of(Category.TOOL_CALLS, Category.TOOL_RESULTS)
    kept = of(Category.USER, Category.ASSISTANT, Category.THINKING, Category.IMAGES, Category.MEMORY)
    named = (
        (template("🔧 System: {0} tokens"), of(Category.SYSTEM)),
        (template("📝 Summary: {0} tokens"), of(Category.SUMMARIES)),
        (template("💬 Kept context: {0} tokens"), kept),
    )
    yield from (Phrase(words, count_text(tokens)) for words, tokens in named if tokens)
    if definitions + calls:
        counts = map(count_text, (definitions + calls, definitions, calls))
        yield Phrase("🛠️ Tools: {0} tokens ({1} defs + {2} calls)", *counts)


def context(view: ContextView) -> Phrase:
    total = Phrase("📊 Context: {0}", share_text(view.breakdown.total, view.budget.window))
    rows = [
        Phrase("{0}: {1}", CATEGORIES[category], figure_text(figure))
        for category, figure in view.breakdown.categories.items()
        if figure.value
    ]
    return joined("\n", [total, *([listed(*rows)] if rows else [])])


CATEGORIES = {
    Category.SYSTEM: Phrase("System"),
    Category.TOOL_DEFINITIONS: Phrase("Tool definitions"),
    Category.SUMMARIES: Phrase("Summaries"),
    Category.USER: Phrase("User"),
    Category.ASSISTANT: Phrase("Assistant"),
    Category.THINKING: Phrase("Thinking"),
    Category.TOOL_CALLS: Phrase("Tool calls"),
    Category.TOOL_RESULTS: Phrase("Tool results"),
    Category.IMAGES: Phrase("Images"),
    Category.MEMORY: Phrase("Memory"),
}


def branches(tree: Tree, leaf: int | None, previews: Sequence[str], ids: Sequence[str]) -> Phrase:
    """The ends of all branches that were not thrown away, newest first."""
    tips = sorted(tree.kept_leaves(leaf), key=tree.columns.time.__getitem__)
    active = set(tree.path(leaf))
    shown = [
        joined("", ["- ", *([Phrase("**here** ")] if at in active else []), f"`{ids[at]}` {previews[at][:100]}"])
        for at in reversed(tips[-MOST_TIPS:])
    ]
    more = len(tips) - len(shown)
    last = [listed(Phrase("and {0} more", more))] if more else []
    return joined("\n", [*shown, *last]) if tips else Phrase("The session is empty.")
