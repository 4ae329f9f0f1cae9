"""The digest: a summary computed from the entries without a model. Equal entries give an equal digest.

Requests are kept in the user's own words, and so are sentences that set limits (recognised by English words such as
never, always, don't, must, only, prefer). Files, commands, errors and the plan are computed. An earlier summary is
merged section by section; an earlier summary in an unknown form is kept as a quote, which is never quoted again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from stemmata.domain.compaction.digest.layout import LayoutItem, LayoutPart, lay_out
from stemmata.domain.compaction.digest.passages import clip, code
from stemmata.domain.compaction.digest.story import (
    DigestInput,
    Excerpts,
    Focus,
    StoryTurn,
    blocked,
    constraints,
    context,
    decisions,
    done,
    goal,
    in_progress,
    steps,
    turns_of,
)
from stemmata.domain.compaction.operations import Command, Operations, collected
from stemmata.domain.compaction.summary.sections import Section, list_items, sections_of
from stemmata.domain.compaction.summary.summary import Summary, SummaryInput
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Entry, Kind
from stemmata.domain.entries.tokens import UNITS_PER_TOKEN, units
from stemmata.domain.tool_calls.checks import core_command, only_reads
from stemmata.domain.tool_calls.outcomes import Outcome

_LONGEST_COMMAND = 200
_FREED_AT_ONCE = 64  # turns
_SHALLOW = 2  # a common folder is named only when it is deeper than this many directories


def files(operations: Operations, story: DigestInput) -> Iterator[LayoutPart]:
    """Yield the parts of the section on files: the common folder, then the changed and the read paths below it."""
    paths = (*operations.modified, *operations.read)
    if not paths:
        earlier = story.earlier.get(Section.FILES, "")
        yield LayoutPart(Section.FILES, [LayoutItem(text) for text in list_items(earlier)], noun="files", share=8)
        return
    root = common_folder(paths)
    if root:
        yield LayoutPart(Section.FILES, [LayoutItem(f"Below {code(root)}:")])
    for heading, listed in (("Changed", operations.modified), ("Read", operations.read)):
        found = [LayoutItem(f"- {code(path[len(root) :])}", story.focus.weight(path)) for path in listed]
        yield LayoutPart(Section.FILES, found, heading, "files", share=8)


def commands(operations: Operations, story: DigestInput) -> Iterator[LayoutPart]:
    """Yield the parts of the section on commands: checks, other commands, and the number of those that only read."""
    if not operations.commands:
        earlier = [text for text in list_items(story.earlier.get(Section.COMMANDS, "")) if not text.startswith("- (")]
        yield LayoutPart(Section.COMMANDS, [LayoutItem(text) for text in earlier], noun="commands", share=8)
        return
    checks = [command for command in operations.commands if command.is_check]
    rest = [command for command in operations.commands if not command.is_check]
    telling = [command for command in rest if not only_reads(command.text)]
    yield LayoutPart(Section.COMMANDS, _rows(checks, story), "Checks", "commands", share=6)
    yield LayoutPart(Section.COMMANDS, _rows(telling, story), "Other commands", "commands", share=6)
    if len(telling) < len(rest):
        count = len(rest) - len(telling)
        yield LayoutPart(Section.COMMANDS, [LayoutItem(f"- ({count} more that only search, list or print)")])


def errors(operations: Operations, story: DigestInput) -> LayoutPart:
    """Return the section on errors: failed calls, and the number of those that later succeeded."""
    found = []
    for failure in operations.failures:
        looked = not failure.message or failure.message == "(no output)" or only_reads(failure.subject)
        if failure.resolved or (looked and failure.subject):
            continue
        about = f" {code(clip(core_command(failure.subject), _LONGEST_COMMAND))}" if failure.subject else ""
        text = f"- {code(failure.tool or 'a tool')}{about}: {failure.message or 'failed'}"
        found.append(LayoutItem(text, story.focus.weight(text)))
    resolved = sum(failure.resolved for failure in operations.failures)
    if resolved:
        found.append(LayoutItem(f"- ({resolved} failed {'call' if resolved == 1 else 'calls'} worked when repeated)"))
    if not operations.failures:
        found = [LayoutItem(text) for text in list_items(story.earlier.get(Section.ERRORS, ""))]
    return LayoutPart(Section.ERRORS, found, noun="errors", share=6)


def common_folder(paths: Sequence[str]) -> str:
    """Return the folder that contains all paths, with a slash at its end; "" when it is not deep enough to name."""
    split = [path.split("/")[:-1] for path in paths]
    shared = [names[0] for names in zip(*split, strict=False) if len(set(names)) == 1]
    depth = 0
    while depth < len(shared) and all(parts[depth] == shared[depth] for parts in split):
        depth += 1
    return "/".join(shared[:depth]) + "/" if depth > _SHALLOW and len(paths) > 1 else ""


def _rows(listed: Sequence[Command], story: DigestInput) -> list[LayoutItem]:
    """Return a line for each command. Runs that differ only in how their output was cut count as one command."""
    found: dict[str, tuple[str, int]] = {}
    for command in listed:
        text = core_command(command.text)
        _, before = found.pop(text, ("", 0))
        found[text] = _ended(command), before + command.runs
    return [
        LayoutItem(
            f"- {code(clip(text, _LONGEST_COMMAND))}: {ended}{f' ({runs} runs)' if runs > 1 else ''}",
            story.focus.weight(text),
        )
        for text, (ended, runs) in found.items()
    ]


def _ended(command: Command) -> str:
    """Return in words how a command ended.

    After a pipe or `;` the exit code is that of the last program, so such a command only "ran".
    """
    if command.outcome is Outcome.FAILED:
        return "failed" if command.exit_code is None else f"failed with exit code {command.exit_code}"
    if command.outcome is Outcome.CANCELLED:
        return "cancelled"
    if command.outcome is Outcome.UNFINISHED:
        return "no result"
    return "ran" if re.search(r"[|;\n]", command.text) else "succeeded"


MAX_TOKENS = 9830  # three quarters of pi's limit for a model's summary (0.8 × 16,384)
MIN_TOKENS = 300  # a shorter digest says nothing useful


class DigestSummariser:
    """Makes digests. `max_tokens` limits the summary in estimated tokens, as does `SummaryInput.longest`."""

    name = "digest"

    def __init__(self, max_tokens: int = MAX_TOKENS) -> None:
        self._max_tokens = max_tokens

    def summarise(self, given: SummaryInput) -> Summary:
        """Return the digest of the input."""
        turns: list[StoryTurn] = []
        try:
            return self._summary(given, _digest_input(given, turns))
        finally:
            while turns:  # to free a million at once would keep Python's lock for a long time
                del turns[-_FREED_AT_ONCE:]

    def _summary(self, given: SummaryInput, story: DigestInput) -> Summary:
        most = self._max_tokens if given.longest is None else min(self._max_tokens, given.longest)
        longest = max(MIN_TOKENS, most) * UNITS_PER_TOKEN
        operations = collected((event for turn in story.turns for event in turn.events), given.previous_operations)
        parts = [
            goal(story),
            constraints(story),
            done(story),
            in_progress(story),
            blocked(story, operations),
            decisions(story),
            *files(operations, story),
            *commands(operations, story),
            errors(operations, story),
            steps(story, operations),
            *context(story),
        ]
        text = lay_out(parts, longest)
        while units(text) > longest:  # characters outside the BMP count as two units
            text = lay_out(parts, len(text) * longest // units(text) - 1)
        return Summary(text, operations, self.name)


def digest(given: SummaryInput) -> Summary:
    """Return the digest with the usual limit."""
    return DigestSummariser().summarise(given)


def _digest_input(given: SummaryInput, turns: list[StoryTurn]) -> DigestInput:
    """Return the parts of the digest that come from the conversation; the entries are read once.

    `turns` gets their turns.
    """
    sections, rest = sections_of(given.previous)
    focus = Focus(given.focus)
    branches: list[str] = []
    excerpts = Excerpts(focus)

    def noted(entries: Iterable[Entry]) -> Iterator[Entry]:
        for entry in entries:
            excerpts.add(entry)
            if entry.kind is Kind.BRANCH_SUMMARY:
                branches.append(plain_text(entry.blocks))
            yield entry

    turns += turns_of(noted(given.entries), given.pause)
    whole = len(turns)
    turns += turns_of(noted(given.turn_prefix), given.pause)
    return DigestInput(
        turns=turns,
        is_split=len(turns) > whole,
        branches=branches,
        excerpts=excerpts.best(),
        earlier=sections,
        other_text=rest,
        focus=focus,
        pause=given.pause,
    )
