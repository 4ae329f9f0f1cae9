"""The digest: a summary made without a model, from the entries themselves, the same for the same entries.

Requests are kept in the person's own words, as are sentences that set limits (told by English words such as never,
always, don't, must, only, prefer); files, commands, errors and the plan are computed. An earlier summary is merged
in section by section; one in a form we do not know is kept as a quote, never nested twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stemmata.domain.compaction.digest.layout import Item, Part, lay_out
from stemmata.domain.compaction.digest.passages import clip, code
from stemmata.domain.compaction.digest.story import (
    Focus,
    Story,
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
from stemmata.domain.compaction.operations import Command, Operations, operations_of
from stemmata.domain.compaction.summary.sections import Section, items, sections_of
from stemmata.domain.compaction.summary.summary import Summary, SummaryInput
from stemmata.domain.entries.checks import core_command, only_reads
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.outcomes import Outcome
from stemmata.domain.entries.tokens import UNITS_PER_TOKEN, units

_LONGEST_COMMAND = 200
_SHALLOW = 2  # directories a common root must have to be worth naming


def files(operations: Operations, story: Story) -> Iterator[Part]:
    """Paths below their common folder, which is named once."""
    paths = (*operations.modified, *operations.read)
    if not paths:
        earlier = story.earlier.get(Section.FILES, "")
        yield Part(Section.FILES, [Item(text) for text in items(earlier)], noun="files", share=8)
        return
    root = common_folder(paths)
    if root:
        yield Part(Section.FILES, [Item(f"Below {code(root)}:")])
    for heading, listed in (("Changed", operations.modified), ("Read", operations.read)):
        found = [Item(f"- {code(path[len(root) :])}", story.focus.weight(path)) for path in listed]
        yield Part(Section.FILES, found, heading, "files", share=8)


def commands(operations: Operations, story: Story) -> Iterator[Part]:
    """Checks apart from other commands; those that only look are counted, not listed."""
    if not operations.commands:
        earlier = [text for text in items(story.earlier.get(Section.COMMANDS, "")) if not text.startswith("- (")]
        yield Part(Section.COMMANDS, [Item(text) for text in earlier], noun="commands", share=8)
        return
    checks = [command for command in operations.commands if command.is_check]
    rest = [command for command in operations.commands if not command.is_check]
    telling = [command for command in rest if not only_reads(command.text)]
    yield Part(Section.COMMANDS, _rows(checks, story), "Checks", "commands", share=6)
    yield Part(Section.COMMANDS, _rows(telling, story), "Other commands", "commands", share=6)
    if len(telling) < len(rest):
        count = len(rest) - len(telling)
        yield Part(Section.COMMANDS, [Item(f"- ({count} more that only search, list or print)")])


def errors(operations: Operations, story: Story) -> Part:
    """Calls that failed and did not work later; the number of those that did."""
    found = []
    for failure in operations.failures:
        looked = not failure.message or failure.message == "(no output)" or only_reads(failure.subject)
        if failure.resolved or (looked and failure.subject):
            continue
        about = f" {code(clip(core_command(failure.subject), _LONGEST_COMMAND))}" if failure.subject else ""
        text = f"- {code(failure.tool or 'a tool')}{about}: {failure.message or 'failed'}"
        found.append(Item(text, story.focus.weight(text)))
    resolved = sum(failure.resolved for failure in operations.failures)
    if resolved:
        found.append(Item(f"- ({resolved} failed {'call' if resolved == 1 else 'calls'} worked when repeated)"))
    if not operations.failures:
        found = [Item(text) for text in items(story.earlier.get(Section.ERRORS, ""))]
    return Part(Section.ERRORS, found, noun="errors", share=6)


def common_folder(paths: Sequence[str]) -> str:
    """The folder all paths lie in, with its slash; "" when there is none worth naming."""
    split = [path.split("/")[:-1] for path in paths]
    shared = [names[0] for names in zip(*split, strict=False) if len(set(names)) == 1]
    depth = 0
    while depth < len(shared) and all(parts[depth] == shared[depth] for parts in split):
        depth += 1
    return "/".join(shared[:depth]) + "/" if depth > _SHALLOW and len(paths) > 1 else ""


def _rows(listed: Sequence[Command], story: Story) -> list[Item]:
    """One line for each command; runs that differ in how their output was cut are one command."""
    found: dict[str, tuple[str, int]] = {}
    for command in listed:
        text = core_command(command.text)
        _, before = found.pop(text, ("", 0))
        found[text] = _ended(command), before + command.runs
    return [
        Item(
            f"- {code(clip(text, _LONGEST_COMMAND))}: {ended}{f' ({runs} runs)' if runs > 1 else ''}",
            story.focus.weight(text),
        )
        for text, (ended, runs) in found.items()
    ]


def _ended(command: Command) -> str:
    """What is known of the end: behind a pipe or a `;` the exit code is the last program's, so no success is told."""
    if command.outcome is Outcome.FAILED:
        return "failed" if command.exit_code is None else f"failed with exit code {command.exit_code}"
    if command.outcome is Outcome.CANCELLED:
        return "cancelled"
    if command.outcome is Outcome.UNFINISHED:
        return "no result"
    return "ran" if re.search(r"[|;\n]", command.text) else "succeeded"


MAX_TOKENS = 9830  # three quarters of what pi lets a model write (0.8 × 16,384)
MIN_TOKENS = 300  # a shorter digest says nothing useful


class DigestSummariser:
    """Always available. `max_tokens` bounds the summary by our own estimate, as `SummaryInput.longest` does."""

    name = "digest"

    def __init__(self, max_tokens: int = MAX_TOKENS) -> None:
        self._max_tokens = max_tokens

    def summarise(self, given: SummaryInput) -> Summary:
        most = self._max_tokens if given.longest is None else min(self._max_tokens, given.longest)
        longest = max(MIN_TOKENS, most) * UNITS_PER_TOKEN
        entries = (*given.entries, *given.turn_prefix)
        operations = operations_of(entries, given.previous_operations)
        story = _story(given, entries)
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
        while units(text) > longest:  # many characters outside the BMP count twice
            text = lay_out(parts, len(text) * longest // units(text) - 1)
        return Summary(text, operations, self.name)


def digest(given: SummaryInput) -> Summary:
    """The digest at its usual size."""
    return DigestSummariser().summarise(given)


def _story(given: SummaryInput, entries: Sequence[Entry]) -> Story:
    sections, rest = sections_of(given.previous)
    return Story(
        turns=turns_of(given.entries),
        prefix=turns_of(given.turn_prefix),
        entries=entries,
        earlier=sections,
        foreign=rest,
        focus=Focus(given.focus),
    )
