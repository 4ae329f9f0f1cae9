"""What commands answer, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stemmata.domain.breakdown import Breakdown
from stemmata.domain.line import Category
from stemmata.domain.prune import PrunePlan
from stemmata.domain.tokens import Figure, FigureKind, short
from stemmata.domain.tree import Tree
from stemmata.services.command_table import COMMANDS
from stemmata.services.compaction import Compaction
from stemmata.services.contexts import ContextView
from stemmata.services.session_facts import SessionFacts

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


def status(facts: SessionFacts, phase: str) -> str:
    hits = "—" if facts.cache_hits is None else f"{round(100 * facts.cache_hits)}% read"
    lines = [
        f"Model: {facts.view.projection.model or '—'}",
        f"Thinking: {facts.view.projection.level}",
        f"Context: {share_text(facts.view.breakdown.total, facts.view.budget.window)}",
        f"Compactions: {facts.session.compactions}",
        f"Tokens: {count_text(facts.sent)} in / {count_text(facts.output)} out",
        f"Cache: {hits}",
        f"Cost: {cost_text(facts.session.cost)}",
        f"Run: {phase}",
    ]
    return "\n".join(f"- {line}" for line in lines)


def cost_text(millionths: int) -> str:
    return f"${millionths / 1e6:.2f}" if millionths else "—"


def pruned(plan: PrunePlan, view: ContextView) -> str:
    """`view` is that of the context after it: a pruning leaves the scale as it was."""
    saved = round(100 * (plan.before - plan.after) / plan.before) if plan.before else 0
    before, after = (Figure.estimated(view.breakdown.scaled(tokens)) for tokens in (plan.before, plan.after))
    return (
        f"🔧 Tool outputs pruned ({figure_text(before)} → {figure_text(after)}, -{saved}%)\n"
        f"- 📊 Context: {share_text(view.breakdown.total, view.budget.window)}"
    )


def compacted(done: Compaction) -> str:
    return "\n".join(
        [
            f"⚙️ Compacted ({figure_text(done.before.total)} → {figure_text(done.after.total)})",
            *(f"- {line}" for line in _parts(done.after)),
            f"- 📊 Total: {share_text(done.after.total, done.after.window)}",
        ]
    )


def _parts(after: Breakdown) -> Iterator[str]:
    def of(*categories: Category) -> int:
        return sum(after.categories[name].value or 0 for name in categories if name in after.categories)

    definitions, calls = of(Category.TOOL_DEFINITIONS), of(Category.TOOL_CALLS, Category.TOOL_RESULTS)
    kept = of(Category.USER, Category.ASSISTANT, Category.THINKING, Category.IMAGES, Category.MEMORY)
    named = (("🔧 System", of(Category.SYSTEM)), ("📝 Summary", of(Category.SUMMARIES)), ("💬 Kept context", kept))
    yield from (f"{name}: {count_text(tokens)} tokens" for name, tokens in named if tokens)
    if definitions + calls:
        apart = f"{count_text(definitions)} defs + {count_text(calls)} calls"
        yield f"🛠️ Tools: {count_text(definitions + calls)} tokens ({apart})"


def context(view: ContextView) -> str:
    rows = [f"📊 Context: {share_text(view.breakdown.total, view.budget.window)}"]
    for category, figure in view.breakdown.categories.items():
        if figure.value:
            rows.append(f"- {category.text.replace('_', ' ').capitalize()}: {figure_text(figure)}")
    return "\n".join(rows)


def branches(tree: Tree, leaf: int | None, previews: Sequence[str], ids: Sequence[str]) -> str:
    """The ends of all branches, newest first."""
    tips = sorted(tree.leaves, key=tree.columns.time.__getitem__)
    active = set(tree.path(leaf))
    shown = [
        f"- {'**here** ' if at in active else ''}`{ids[at]}` {previews[at][:100]}"
        for at in reversed(tips[-MOST_TIPS:])
    ]
    more = len(tips) - len(shown)
    return "\n".join([*shown, *([f"- and {more} more"] if more else [])]) or "The session is empty."
