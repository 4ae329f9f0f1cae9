"""Commands for the context: context, compact, auto-compact, prune."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import click

from stemmata.cli import output, words
from stemmata.cli.command_context import CommandContext, CommandSubject, GlobalCommand, pass_cli
from stemmata.domain.compaction.duplicates import Duplicate
from stemmata.domain.compaction.plan import breakdown_after
from stemmata.domain.compaction.pruning import PruneOccasion, PrunePlan
from stemmata.domain.compaction.quality.facts import FactKind
from stemmata.domain.context.breakdown import Breakdown, breakdown_data, breakdown_of, figure_data
from stemmata.domain.context.projection import Form, Projection, SentMessage, context_at
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.entries.figures import Figure
from stemmata.domain.entries.tokens import to_tokens, units
from stemmata.domain.errors import KnownError
from stemmata.domain.requests.apis import API_NAMES
from stemmata.services.chat.commands import skills_listed
from stemmata.services.chat.compaction_notices import noted, pruned, written_by
from stemmata.services.chat.skills import SessionSkills
from stemmata.services.compaction.model_compaction import ModelRef, checked_summariser, summaries_by
from stemmata.services.compaction.quality import RATIOS, SummaryScore
from stemmata.services.compaction.request import Compaction, CompactionRequest
from stemmata.services.context.contexts import ContextView

LONGEST_SUBJECT = 70  # characters of a tool with its file or command
SUMMARY_ROLES = {Kind.COMPACTION: "compactionSummary", Kind.BRANCH_SUMMARY: "branchSummary"}


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.option("--leaf", default=None, metavar="ENTRY", help="Show the context at this entry instead of the leaf.")
@click.option(
    "--request",
    "provider",
    type=click.Choice(API_NAMES),
    default=None,
    help="Print the exact request body for this API.",
)
@click.option("--count", "is_counted", is_flag=True, help="Let the provider count the tokens of the context.")
@pass_cli
def context(cli: CommandContext, session: str, leaf: str | None, provider: str | None, *, is_counted: bool) -> None:
    """Show the context that the model receives.

    Prints the messages, the fate of every entry, and the tokens by category.
    """
    subject = cli.subject(session)
    at = subject.index(leaf)
    if provider is not None and is_counted:
        raise click.UsageError("--count and --request cannot be combined.")
    if provider is not None:
        payload = cli.wait(subject.services.requests.payload(subject.session_tree, at, provider))
        output.document(payload)
        return
    contexts = subject.services.contexts
    if is_counted:
        entry = None if at is None else subject.session_tree.tree.key(at)
        cli.wait(subject.services.context_counts.count(subject.session.key, entry))
    seen = contexts.seen(subject.session_tree, at)
    cli.answer(
        lambda: _document(cli, subject, seen if is_counted else contexts.at(subject.session_tree, at), seen),
        lambda: _lines(subject, seen),
    )


def _document(cli: CommandContext, subject: CommandSubject, view: ContextView, seen: ContextView) -> dict[str, Any]:
    """Return the JSON document. `view` has the figures as pi counts them, `seen` as the window shows them."""
    projection, ids = view.projection, subject.ids
    keys = [subject.session_tree.tree.key(message.entry) for message in projection.messages]
    bodies = cli.wait(subject.services.entries.bodies(keys))
    return {
        "session": subject.session.id,
        "leaf": None if projection.entry is None else ids[projection.entry],
        "model": projection.model or None,
        "thinking_level": projection.level,
        "auto_compaction": subject.services.contexts.is_automatic(subject.session),
        "messages": [
            _message(subject, message, bodies[key]) for message, key in zip(projection.messages, keys, strict=True)
        ],
        "fates": [_fate(subject, view, entry) for entry in projection.path],
        "skills": [
            {"name": name, "entry": ids[entry], "tokens": figure_data(Figure.estimated(tokens))}
            for name, entry, tokens in _skills(projection)
        ],
        "breakdown": breakdown_data(view.breakdown, ids.__getitem__),
        "seen": breakdown_data(seen.breakdown, ids.__getitem__),
    }


def _message(subject: CommandSubject, message: SentMessage, body: Body) -> dict[str, Any]:
    tree, entry = subject.session_tree.tree, message.entry
    kind = tree.kind(entry)
    text = "\n".join(block.text for block in body.blocks if isinstance(block, Text))
    size = tree.tokens(entry)
    if message.form is Form.PRUNED:
        text = tree.name(entry)
        size = to_tokens(len(text))
    elif tree.role(entry) is Role.BASH_EXECUTION:
        text = f"{tree.name(entry)}\n{text}"
    return {
        "role": SUMMARY_ROLES.get(kind, tree.role(entry).text),
        "entry": subject.ids[entry],
        "kind": kind.text,
        "text": text,
        "tokens": figure_data(Figure.estimated(size)),
    }


def _fate(subject: CommandSubject, view: ContextView, entry: int) -> dict[str, Any]:
    fate = view.projection.fate(entry)
    out: dict[str, Any] = {"entry": subject.ids[entry], "fate": fate.fate.text}
    if fate.reason is not None:
        out["reason"] = fate.reason.text
    if fate.by is not None:
        out["by"] = subject.ids[fate.by]
    return out


def _skills(projection: Projection) -> Iterator[tuple[str, int, int]]:
    """Yield the active skills: name, the entry that activated it, and the estimated tokens of its text."""
    tree, path_totals = projection.tree, projection.path_totals
    for at in projection.skills:
        yield tree.name(path_totals.path[at]), path_totals.path[at], path_totals.tokens[at]


def _lines(subject: CommandSubject, view: ContextView) -> Iterator[str]:
    projection = view.projection
    yield f"{subject.session.title or subject.session.id}"
    yield f"Model    {projection.model or '—'}, thinking {projection.level}"
    if projection.skills:
        yield "Skills   " + ", ".join(f"{name} (≈ {tokens:,})" for name, _entry, tokens in _skills(projection))
    yield from words.breakdown(view.breakdown)
    is_on = subject.services.contexts.is_automatic(subject.session)
    yield f"Automatic compaction  {words.automatic(subject.session.details, is_on=is_on)}"
    fates: dict[str, int] = {}
    for entry in projection.path:
        fate = projection.fate(entry)
        name = fate.fate.text + (f" ({fate.reason.text})" if fate.reason is not None else "")
        fates[name] = fates.get(name, 0) + 1
    yield f"Entries  {len(projection.path)} on the path: " + ", ".join(f"{n} {name}" for name, n in fates.items())
    yield "Largest"
    yield from words.table(
        [
            (f"  {subject.ids[item.entry]}", item.category.text.replace("_", " "), _size(view.breakdown, item.tokens))
            for item in view.breakdown.largest
        ],
        frozenset({2}),
    )


def _size(scale: Breakdown, tokens: int) -> str:
    """Format an estimate, adjusted to the scale of the context it belongs to."""
    return words.tokens(Figure.estimated(scale.scaled(tokens)))


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.option("--leaf", default=None, metavar="ENTRY", help="Compact at this entry instead of the leaf.")
@click.option("--keep-recent", type=click.IntRange(0), default=None, help="Tokens at the end that stay unchanged.")
@click.option("--from", "first_kept", default=None, metavar="ENTRY", help="First kept entry; replaces --keep-recent.")
@click.option("--focus", default="", help="Subject that the summary keeps in most detail.")
@click.option(
    "--summariser",
    type=click.Choice(["model", "digest", "provider"]),
    default=None,
    help="Writer of the summary; the default is in the settings.",
)
@click.option("--model", default=None, metavar="CONNECTION/MODEL", help="Model that writes the summary.")
@click.option(
    "--strategy",
    type=click.Choice(["in-place", "new-session"]),
    default=None,
    help="Place of the summary; the default is in the settings.",
)
@click.option("--dry-run", is_flag=True, help="Show the result without storing it.")
@pass_cli
def compact(cli: CommandContext, session: str, leaf: str | None, dry_run: bool, **choices: Any) -> None:
    """Summarise old entries and keep recent ones.

    Adds one entry and deletes nothing. `stemmata leaf --undo` undoes it.
    """
    subject = cli.subject(session, changes=not dry_run)
    at = subject.index(leaf)
    if at is None:
        raise KnownError("The session is empty. Nothing was compacted.")
    request = _request(subject, at, choices)
    if subject.services.contexts.settings.notify:
        request = replace(request, notice=noted)
    compactions = subject.services.compaction
    request = subject.services.summary_writing.written(
        request, choices["summariser"] or "", writer_named(choices["model"])
    )
    strategy = choices["strategy"] or subject.services.contexts.settings.strategy
    done = cli.wait(compactions.draft(request)) if dry_run else _stored(cli, subject, request, strategy)
    ids = [*subject.ids] if done.entry is None else cli.wait(subject.services.entries.ids(subject.session.key))
    entry = None if done.entry is None else cli.wait(subject.services.entries.rows([done.entry]))[done.entry].id
    made = None if done.session is None else cli.wait(subject.services.sessions.get(done.session)).id
    seen = {
        name: breakdown_data(size, ids.__getitem__) for name, size in (("before", done.before), ("after", done.after))
    }
    cli.answer(
        lambda: _compaction(_as_counted(subject, done), ids, entry, dry_run) | {"seen": seen, "continued_as": made},
        lambda: _compaction_lines(done, dry_run, made),
    )


def _stored(cli: CommandContext, subject: CommandSubject, request: CompactionRequest, strategy: str) -> Compaction:
    """Compact and store, after moving the leaf to the entry of the request."""
    if subject.session.leaf != request.leaf:
        cli.wait(subject.services.branching.move_leaf(request.session, request.leaf))
    compactions = subject.services.compaction
    run = compactions.run_in_new_session if strategy == "new-session" else compactions.run
    return cli.wait(run(request))


def _as_counted(subject: CommandSubject, done: Compaction) -> Compaction:
    """Return the compaction with breakdowns as pi counts them, which are those of `context --json`."""
    tree, plan = subject.session_tree.tree, done.plan
    projection = context_at(tree, plan.parent)
    window = subject.services.contexts.window(projection.model)
    after = breakdown_after(tree, plan, to_tokens(units(done.summary.text)), window)
    return replace(done, before=breakdown_of(projection, window), after=after)


def _request(subject: CommandSubject, at: int, choices: dict[str, Any]) -> CompactionRequest:
    tree = subject.session_tree.tree
    request = CompactionRequest(
        session=subject.session.key,
        leaf=tree.key(at),
        keep_recent_tokens=choices["keep_recent"],
        focus=choices["focus"],
    )
    cut = None if choices["first_kept"] is None else subject.index(choices["first_kept"])
    return request if cut is None else replace(request, first_kept=tree.key(cut))


def _compaction(done: Compaction, ids: list[str], entry: str | None, dry_run: bool) -> dict[str, Any]:
    plan, operations = done.plan, done.summary.operations
    out = {
        "dry_run": dry_run,
        "first_kept": None if plan.first_kept is None else ids[plan.first_kept],
        "summarised": [ids[at] for at in plan.summarised],
        "kept": [ids[at] for at in plan.kept],
        "pinned": [ids[at] for at in plan.pinned],
        "split_turn": plan.split_turn,
        "turn_prefix": [ids[at] for at in plan.turn_prefix],
        "summariser": done.summary.summariser,
        "summary": done.summary.text,
        "before": breakdown_data(done.before, ids.__getitem__),
        "after": breakdown_data(done.after, ids.__getitem__),
        "files": {"read": list(operations.read), "modified": list(operations.modified)},
    }
    if done.usage is not None:
        cost = None if done.usage.cost is None else done.usage.cost / 1e6
        out["usage"] = {"input": done.usage.sent, "output": done.usage.output, "cost": cost}
    if entry is not None:
        out["entry"] = entry
    return out


def _compaction_lines(done: Compaction, dry_run: bool, made: str | None) -> Iterator[str]:
    plan = done.plan
    verb = "Would compact" if dry_run else "Compacted"
    yield f"{verb}  {words.tokens(done.before.total)} → {words.tokens(done.after.total)}"
    pinned = f", {len(plan.pinned)} pinned" if plan.pinned else ""
    summarised = words.plural(len(plan.summarised) + len(plan.turn_prefix), "entry", "entries")
    yield f"  {summarised} summarised, {len(plan.kept)} kept{pinned}"
    if plan.split_turn:
        yield f"  the turn in progress is split: {len(plan.turn_prefix)} of its entries are summarised"
    yield f"  {written_by(done, done.usage)}"
    if made is not None:
        yield f"  continue with: stemmata chat {made}"
    yield ""
    yield done.summary.text


@click.command("auto-compact", cls=GlobalCommand)
@click.argument("session")
@click.argument("switch", type=click.Choice(["on", "off"]), required=False)
@pass_cli
def auto_compact(cli: CommandContext, session: str, switch: str | None) -> None:
    """Show or switch the automatic compaction of a SESSION.

    Without on or off, show whether the session is compacted automatically.
    """
    subject = cli.subject(session, changes=switch is not None)
    key, services = subject.session.key, subject.services
    if switch is not None:
        cli.wait(services.sessions.set_manual_compaction(key, on=switch == "off"))
    now = cli.wait(services.sessions.get(key))
    is_on = services.contexts.is_automatic(now)
    cli.answer(
        lambda: {"session": now.id, "auto_compaction": is_on},
        lambda: [f"Automatic compaction of {now.id}: {words.automatic(now.details, is_on=is_on)}."],
    )


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.argument("model", required=False)
@pass_cli
def summariser(cli: CommandContext, session: str, model: str | None) -> None:
    """Show or choose the model that writes summaries.

    MODEL is CONNECTION/MODEL, or the word default for the model of the settings. The choice holds for this SESSION.
    """
    subject = cli.subject(session, changes=model is not None)
    key, services = subject.session.key, subject.services
    if model is not None:
        name = checked_summariser(model, services.connecting.connections().result())
        cli.wait(services.sessions.set_summariser(key, name))
    now = cli.wait(services.sessions.get(key))
    chosen = services.contexts.summary_model(now)
    connection, _, called = chosen.partition("/")
    cli.answer(
        lambda: {"session": now.id, "connection": connection or None, "model": called or None},
        lambda: [str(summaries_by(chosen))],
    )


@click.command(cls=GlobalCommand)
@click.argument("session", required=False)
@click.option("--on", "names_on", multiple=True, metavar="NAME", help="Activate this skill. May be repeated.")
@click.option("--off", "names_off", multiple=True, metavar="NAME", help="Deactivate this skill. May be repeated.")
@pass_cli
def skills(cli: CommandContext, session: str | None, names_on: tuple[str, ...], names_off: tuple[str, ...]) -> None:
    """List skills, and activate or deactivate them.

    Lists the skills of the folders in the settings; with a SESSION, also which of them are active in it.
    """
    if session is None:
        if names_on or names_off:
            raise click.UsageError("--on and --off need a SESSION.")
        _tell_skills(cli, cli.wait(cli.services.skills.listed()))
        return
    subject = cli.subject(session, changes=bool(names_on or names_off))
    key, services = subject.session.key, subject.services
    for name, on in (*((name, False) for name in names_off), *((name, True) for name in names_on)):
        cli.wait(services.skills.switch(key, name, on=on))
    _tell_skills(cli, cli.wait(services.skills.of(key)))


def _tell_skills(cli: CommandContext, found: SessionSkills) -> None:
    cli.answer(
        lambda: {
            "folders": list(found.folders),
            "skills": [
                {
                    "name": state.name,
                    "description": state.description,
                    "path": state.path,
                    "tokens": {"value": state.tokens, "kind": "estimated"},
                    "active": state.is_active,
                    "by": ("prompt" if state.by_prompt else "user") if state.is_active else None,
                    "file": state.file.value,
                }
                for state in found.states
            ],
            "problems": [{"path": problem.path, "reason": problem.text} for problem in found.problems],
        },
        lambda: skills_listed(found).splitlines(),
    )


@click.command(cls=GlobalCommand)
@click.argument("session")
@click.option(
    "--duplicates",
    is_flag=True,
    help="Prune only results that later ones replace: the file was read again or changed, the command run again.",
)
@click.option("--dry-run", is_flag=True, help="Show the result without storing it.")
@pass_cli
def prune(cli: CommandContext, session: str, duplicates: bool, dry_run: bool) -> None:
    """Leave old tool output out of the context.

    The archive keeps the output. `stemmata leaf --undo` undoes it.
    """
    subject = cli.subject(session, changes=not dry_run)
    at, entry = subject.index(None), None
    pruning, scale = subject.services.pruning, subject.services.contexts.seen(subject.session_tree, at).breakdown
    if at is None:
        plan = pruning.preview(subject.session_tree, at)  # says that there is nothing
    elif dry_run and duplicates:
        plan = cli.wait(pruning.duplicates(subject.session.key, subject.session_tree.tree.key(at)))
    elif dry_run:
        plan = pruning.preview(subject.session_tree, at)
    else:
        occasion = PruneOccasion.DUPLICATES if duplicates else PruneOccasion.BY_HAND
        plan, made = _pruned(cli, subject, at, occasion)
        entry = made.id
    cli.answer(
        lambda: _pruning(plan, subject.ids, scale) | {"dry_run": dry_run, "entry": entry},
        lambda: _pruning_lines(plan, subject.ids, scale, dry_run=dry_run),
    )


def _pruned(
    cli: CommandContext, subject: CommandSubject, at: int, occasion: PruneOccasion
) -> tuple[PrunePlan, EntryRow]:
    """Prune, with a note below the pruning when the settings want one; returns the plan and the pruning's entry."""
    notice = pruned if subject.services.contexts.settings.notify else None
    leaf = subject.session_tree.tree.key(at)
    plan, key = cli.wait(subject.services.pruning.run(subject.session.key, leaf, occasion=occasion, notice=notice))
    row = cli.wait(subject.services.entries.rows([key]))[key]
    if row.kind not in (Kind.TOOL_PRUNE, Kind.OMISSION) and row.parent is not None:
        row = cli.wait(subject.services.entries.rows([row.parent]))[row.parent]
    return plan, row


def _pruning(plan: PrunePlan, ids: Sequence[str], scale: Breakdown) -> dict[str, Any]:
    return {
        "boundary": None if plan.boundary is None else ids[plan.boundary],
        "pruned": [ids[result] for result in plan.pruned],
        "kept_tools": list(plan.kept),
        "duplicates": [
            {
                "entry": ids[each.entry],
                "replaced_by": ids[each.by],
                "reason": each.reason.text,
                "tool": each.tool,
                "subject": each.subject,
                "tokens": {"value": each.tokens, "kind": "estimated"},
            }
            for each in plan.duplicates
        ],
        "before": {"value": plan.before, "kind": "estimated"},
        "after": {"value": plan.after, "kind": "estimated"},
        "factor": round(scale.factor, 4),
    }


def _pruning_lines(plan: PrunePlan, ids: Sequence[str], scale: Breakdown, *, dry_run: bool) -> Iterator[str]:
    count = f"{len(plan.pruned)} tool result" + ("" if len(plan.pruned) == 1 else "s")
    sizes = f"{_size(scale, plan.before)} → {_size(scale, plan.after)}"
    yield f"{'Would prune' if dry_run else 'Pruned'} {count}  {sizes}"
    yield from words.table(
        [
            (
                f"  {ids[each.entry]}",
                _size(scale, each.tokens),
                each.reason.text.replace("-", " "),
                _duplicate_label(each),
            )
            for each in plan.duplicates
        ],
        frozenset({1}),
    )


def _duplicate_label(duplicate: Duplicate) -> str:
    """Return the name of a tool and the file or command of its call, on one line."""
    text = " ".join(f"{duplicate.tool} {duplicate.subject}".split())
    return text if len(text) <= LONGEST_SUBJECT else f"{text[: LONGEST_SUBJECT - 1]}…"


def writer_named(model: str | None) -> ModelRef | None:
    """Parse the option --model; None without it."""
    if model is None:
        return None
    connection, _, name = model.partition("/")
    if not connection or not name:
        raise click.UsageError("--model must be CONNECTION/MODEL.")
    return ModelRef(connection, name)


@click.command("bench-summary", cls=GlobalCommand)
@click.argument("session", required=False)
@click.option("--model", default=None, metavar="CONNECTION/MODEL", help="Also measure this model, which costs money.")
@click.option(
    "--ratio",
    "ratios",
    type=click.IntRange(1, 90),
    multiple=True,
    default=RATIOS,
    show_default=True,
    help="Size of the summary, in percent of the conversation. May be repeated.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the random choice of the facts.")
@pass_cli
def bench_summary(
    cli: CommandContext, session: str | None, model: str | None, ratios: tuple[int, ...], seed: int
) -> None:
    """Measure how many facts a summary keeps.

    Plants facts (constraints, decisions, written files, failing commands, open tasks, names, numbers) in a copy of
    the active path of SESSION, or in made-up conversations, and looks for them in each summary. Nothing is stored.
    """
    writer = writer_named(model)
    services, key = cli.services, None
    if session is not None:
        subject = cli.subject(session)
        services, key = subject.services, subject.session.key
    scores = cli.wait(services.summary_quality.measure(key, seed=seed, ratios=ratios, model=writer))
    cli.answer(lambda: {"seed": seed, "scores": [_score(row) for row in scores]}, lambda: _score_lines(scores))


def _score(row: SummaryScore) -> dict[str, Any]:
    return {
        "way": row.way,
        "ratio": row.ratio,
        "share": round(row.share, 1),
        "percent": round(row.percent, 1),
        "kept": {kind.value: list(counts) for kind, counts in row.kept.items()},
        "cost": None if row.cost is None else row.cost / 1_000_000,
    }


def _score_lines(scores: list[SummaryScore]) -> Iterator[str]:
    heads = ("size", "used", "summary", "facts", *(kind.value for kind in FactKind))
    rows = [
        (f"{row.ratio} %", f"{row.share:.1f} %", row.way, f"{row.percent:.0f} %",
         *(f"{kept}/{of}" for kept, of in row.kept.values()))
        for row in scores
    ]  # fmt: skip
    return words.table([heads, *rows])


COMMANDS = (context, compact, auto_compact, summariser, skills, prune, bench_summary)
