"""The parts of a digest that tell what was said: goal, constraints, progress, decisions, next steps, context."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from stemmata.domain.compaction.digest import passages
from stemmata.domain.compaction.digest.layout import Item, Part, carried
from stemmata.domain.compaction.digest.passages import clip, code, one_line, quote, unique
from stemmata.domain.compaction.operations import Command, Operations, operations_of
from stemmata.domain.compaction.summary.sections import BLOCKED, DONE, IN_PROGRESS, Section, groups, items
from stemmata.domain.entries.blocks import Text, ToolCall, plain_text
from stemmata.domain.entries.checks import core_command
from stemmata.domain.entries.entry import MESSAGE_KINDS, Entry, Flag, Kind, Role
from stemmata.domain.entries.outcomes import Outcome
from stemmata.domain.entries.tool_use import StepState

EXCERPTS = 12
_LONGEST_EXCERPT = 320
_LONGEST_TEXT = 200_000  # characters of an entry that are searched
_PEOPLE = frozenset({"User", "Assistant"})
_WORD = re.compile(r"[\w./-]{3,}")
_COMMON = frozenset(
    """
    about all and any are been but can did does focus for from had has have how into its just keep more most not that
    the their them then there these this those was were what when where which who why with work you your
    """.split()
)


class Focus:
    """A focus text. It weighs a text by how many of its words are in it; empty weighs everything 0."""

    def __init__(self, text: str) -> None:
        self.text = one_line(text)
        words = {word.strip(".-/").casefold() for word in _WORD.findall(text)}
        self._words = sorted(words - _COMMON - {""})

    def weight(self, text: str) -> int:
        lowered = text[:_LONGEST_TEXT].casefold()
        return sum(word in lowered for word in self._words)

    def excerpts(self, entries: Iterable[Entry]) -> list[str]:
        """List items: the passages that match best, in the order they were said."""
        if not self._words:
            return []
        found: dict[str, tuple[int, bool, int, str]] = {}
        for at, (speaker, passage) in enumerate(_passages(entries)):
            weight = self.weight(passage)
            if weight:
                row = (weight, speaker in _PEOPLE, at, f"- {speaker}: {clip(passage, _LONGEST_EXCERPT)}")
                found[passage] = row
        best = sorted(found.values())[-EXCERPTS:]
        return [text for _, _, _, text in sorted(best, key=lambda row: row[2])]


def _passages(entries: Iterable[Entry]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        if entry.kind not in MESSAGE_KINDS or entry.flags & Flag.EXCLUDED:
            continue
        speaker, text = _speaker(entry), plain_text(entry.blocks)[:_LONGEST_TEXT]
        pieces = text.splitlines() if entry.role in (Role.TOOL_RESULT, Role.BASH_EXECUTION) else text.split("\n\n")
        yield from ((speaker, line) for line in map(one_line, pieces) if line)


def _speaker(entry: Entry) -> str:
    if entry.role is Role.ASSISTANT:
        return "Assistant"
    if entry.role is Role.TOOL_RESULT:
        return f"Result of {code(entry.tool or 'a tool')}"
    return f"Output of {code(entry.name)}" if entry.role is Role.BASH_EXECUTION else "User"


_TRIVIAL = 3  # words of a request that says nothing alone: "ok, continue"


@dataclass(frozen=True)
class Turn:
    """`request` is None when the entries begin in the middle of a turn."""

    request: Entry | None
    answers: Sequence[Entry]

    @cached_property
    def text(self) -> str:
        """The request, word for word."""
        return "" if self.request is None else plain_text(self.request.blocks).strip()

    @cached_property
    def replies(self) -> list[str]:
        """The texts of the assistant, those of replies that broke off too."""
        texts = (plain_text(entry.blocks, "\n\n").strip() for entry in self.answers if entry.role is Role.ASSISTANT)
        return [text for text in texts if text]

    @cached_property
    def operations(self) -> Operations:
        return operations_of(self.answers)

    @cached_property
    def has_calls(self) -> bool:
        return any(isinstance(block, ToolCall) for entry in self.answers for block in entry.blocks)

    @property
    def is_trivial(self) -> bool:
        """Whether neither the request nor what followed needs to be told."""
        return self.request is not None and len(self.text.split()) <= _TRIVIAL and not self.has_calls

    @property
    def is_ended(self) -> bool:
        """Whether the model answered to the end: its last message is whole and asks for no tool."""
        last = next((entry for entry in reversed(self.answers) if entry.role is Role.ASSISTANT), None)
        if last is None or last.flags & (Flag.ABORTED | Flag.FAILED):
            return False
        return bool(last.flags & Flag.ENDS_TURN) or not any(isinstance(block, ToolCall) for block in last.blocks)


def turns_of(entries: Iterable[Entry]) -> list[Turn]:
    """The entries as turns. What a tool wrote in the person's name starts none."""
    out: list[tuple[Entry | None, list[Entry]]] = []
    for entry in entries:
        if entry.flags & Flag.EXCLUDED:
            continue
        if is_request(entry):
            out.append((entry, []))
        else:
            if not out:
                out.append((None, []))
            out[-1][1].append(entry)
    return [Turn(request, answers) for request, answers in out]


def is_request(entry: Entry) -> bool:
    """Whether a person typed it: a user message with text that no tool injected."""
    if entry.kind is not Kind.MESSAGE or entry.role is not Role.USER or entry.flags & Flag.INJECTED:
        return False
    return any(isinstance(block, Text) and block.text.strip() for block in entry.blocks)


_FIRST, _LATEST = "First request:", "Latest request:"
_LAST_REPLY, _EARLIER, _BRANCH = "Last reply", "Earlier summary", "Summary of another branch"
_ABOUT = "About "
_GOAL, _REQUEST, _REPORT, _REPLY = 1600, 260, 240, 1600  # characters, clipped
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARKUP = re.compile(r"\*\*|(?:^|(?<= ))#{1,6} ")
_CONTINUED = "(continued)"
_MANY_WORDS = 6  # of a request that can stand for the goal
_CHANGED_SHOWN = 4


@dataclass(frozen=True)
class Story:
    """What the parts are told from. `earlier` are the sections of the previous summary, `foreign` the rest of
    its text, which has none of ours."""

    turns: Sequence[Turn]
    prefix: Sequence[Turn]
    entries: Sequence[Entry]
    earlier: Mapping[Section, str]
    foreign: str
    focus: Focus

    @cached_property
    def all_turns(self) -> Sequence[Turn]:
        return [*self.turns, *self.prefix]

    @cached_property
    def progress(self) -> Mapping[str, str]:
        return groups(self.earlier.get(Section.PROGRESS, ""))

    @property
    def current(self) -> Turn | None:
        """The turn that is still going on, if one is: the one that is split, else a last one without its end."""
        last = self.all_turns[-1] if self.all_turns else None
        return last if last is not None and (self.prefix or not last.is_ended) else None

    @property
    def goes_on(self) -> bool:
        """Whether the current turn began before these entries, so that its request is in the previous summary."""
        return self.current is not None and self.current.request is None

    def kept(self, section: Section) -> tuple[list[str], int]:
        return carried(items(self.earlier.get(section, "")))


def goal(story: Story) -> Part:
    """The first request and the latest one that says something by itself; an earlier goal stays as it was."""
    earlier = story.earlier.get(Section.GOAL, "").split(_LATEST)[0].strip()
    asked = [turn.text for turn in story.all_turns if turn.text]
    telling = [text for text in asked if len(text.split()) >= _MANY_WORDS] or asked
    found = [earlier] if earlier and earlier != "- None" else []
    if telling and not found:
        found.append(f"{_FIRST}\n\n{quote(clip(telling[0], _GOAL))}")
    if telling and (len(telling) > 1 or earlier):
        found.append(f"{_LATEST}\n\n{quote(clip(telling[-1], _GOAL))}")
    latest = _latest_of(story.earlier) if earlier and not telling else ""
    return Part(Section.GOAL, [Item(text) for text in (*found, latest) if text], noun="goals", share=6)


def constraints(story: Story) -> Part:
    """Sentences in the person's own words; those of the previous summary first."""
    earlier, left_out = story.kept(Section.CONSTRAINTS)
    said = (sentence for turn in story.all_turns for sentence in passages.constraints(turn.text))
    texts = unique((*earlier, *(f"- “{sentence}”" for sentence in said)))
    return Part(Section.CONSTRAINTS, _weighed(story, texts), noun="sentences", share=6, left_out=left_out)


def done(story: Story) -> Part:
    """Each ended turn: the request, what the reply says first, the files it changed."""
    earlier, left_out = carried(items(story.progress.get(DONE, "") or story.progress.get("", "")))
    if story.all_turns and not story.goes_on:
        earlier += items(story.progress.get(IN_PROGRESS, ""))
    ended = [turn for turn in story.all_turns if turn is not story.current and not turn.is_trivial]
    found = [Item(text) for text in earlier]
    found += [Item(_told(turn, story.focus), story.focus.weight(turn.text)) for turn in ended]
    return Part(Section.PROGRESS, found, DONE, "requests", share=20, left_out=left_out)


def in_progress(story: Story) -> Part:
    """The turn that goes on, and the steps of the plan that are being worked on."""
    turn = story.current
    found = items(story.progress.get(IN_PROGRESS, "")) if story.goes_on or not story.all_turns else []
    if turn is not None:
        so_far = f" — so far: {one_line(clip(turn.replies[-1], 2 * _REPORT))}" if turn.replies else ""
        request = f"“{clip(one_line(turn.text), 2 * _REQUEST)}”" if turn.text else _CONTINUED
        found.append(f"- {request}{so_far}{_changed(turn)}")
    return Part(Section.PROGRESS, [Item(text) for text in found], IN_PROGRESS, "requests", share=6)


def blocked(story: Story, operations: Operations) -> Part:
    """Checks that failed when they were last run, steps of the plan that are blocked, what was blocked before."""
    earlier = [text for text in items(story.progress.get(BLOCKED, "")) if not text.startswith("- `")]
    failing = [f"- {code(clip(core_command(command.text), 200))} {_fails(command)}" for command in operations.commands
               if command.is_check and command.outcome is Outcome.FAILED]  # fmt: skip
    steps = [f"- {step.text}" for step in operations.plan if step.state is StepState.BLOCKED]
    return Part(Section.PROGRESS, [Item(text) for text in unique((*earlier, *steps, *failing))], BLOCKED, share=3)


def decisions(story: Story) -> Part:
    """What the person settled and what the model found to be the cause, in their own words."""
    earlier, left_out = story.kept(Section.DECISIONS)
    limits = {sentence for turn in story.all_turns for sentence in passages.constraints(turn.text)}
    found: list[str] = []
    for turn in story.all_turns:
        found += [f"- “{sentence}”" for sentence in passages.choices(turn.text) if sentence not in limits]
        told = [sentence for reply in turn.replies for sentence in passages.findings(reply)]
        found += [f"- Assistant: {one_line(told[-1])}"] if told else []
    return Part(Section.DECISIONS, _weighed(story, unique((*earlier, *found))), noun="decisions", share=8,
                left_out=left_out)  # fmt: skip


def steps(story: Story, operations: Operations) -> Part:
    """Open steps of the plan, calls without a result, what the last reply asks; else what came before."""
    earlier = [text for text in items(story.earlier.get(Section.NEXT, "")) if not _is_computed(text)]
    marks = {StepState.PENDING: "[ ]", StepState.ACTIVE: "[ ] (begun)"}
    found = [f"- {marks[step.state]} {one_line(step.text)}" for step in operations.plan if step.state in marks]
    last = story.all_turns[-1] if story.all_turns else None
    if story.current is not None and story.current.text:
        found.append(f"- Finish “{clip(one_line(story.current.text), _REQUEST)}”")
    if last is not None:
        unfinished = last.operations.unfinished
        found += [f"- {code(call.tool)} {code(clip(call.subject, 200))} has no result." for call in unfinished]
        question = _question(last)
        found += [f"- The last reply asks: “{question}”"] if question else []
    return Part(Section.NEXT, [Item(text) for text in unique((*earlier, *found))], noun="steps", share=6)


def context(story: Story) -> list[Part]:
    """The last reply, passages about the focus, summaries of other branches, an earlier summary of unknown form."""
    earlier = {title: text for title, text in groups(story.earlier.get(Section.CRITICAL, "")).items()
               if title != _LAST_REPLY and text != "- None"}  # fmt: skip
    parts = [_kept_part(title, text) for title, text in earlier.items()]
    if story.foreign:
        parts.append(Part(Section.CRITICAL, [Item(quote(story.foreign))], _EARLIER, "summaries", share=20))
    branches = [plain_text(entry.blocks) for entry in story.entries if entry.kind is Kind.BRANCH_SUMMARY]
    quotes = [Item(quote(clip(text, 4000))) for text in branches if text.strip()]
    parts.append(Part(Section.CRITICAL, quotes, _BRANCH, "summaries", share=8))
    excerpts = [Item(text) for text in story.focus.excerpts(story.entries)]
    parts.append(Part(Section.CRITICAL, excerpts, f"{_ABOUT}“{clip(story.focus.text, 80)}”", "passages", share=10))
    reply = next((turn.replies[-1] for turn in reversed(story.all_turns) if turn.replies), "")
    last = [Item(quote(clip(reply, _REPLY)))] if reply else []
    return [*parts, Part(Section.CRITICAL, last, _LAST_REPLY, share=8)]


def _kept_part(title: str, text: str) -> Part:
    found, left_out = carried(items(text)) if not text.startswith(">") else ([text], 0)
    return Part(Section.CRITICAL, [Item(item) for item in found], title, "passages", share=10, left_out=left_out)


def _weighed(story: Story, texts: Iterable[str]) -> list[Item]:
    return [Item(text, story.focus.weight(text)) for text in texts]


def _latest_of(earlier: Mapping[Section, str]) -> str:
    _, mark, text = earlier.get(Section.GOAL, "").partition(_LATEST)
    return f"{mark}{text}".strip()


def _told(turn: Turn, focus: Focus) -> str:
    room = 3 if focus.weight(turn.text) else 1
    request = f"“{clip(one_line(turn.text), room * _REQUEST)}”" if turn.text else _CONTINUED
    report = _begun(_report(turn), room * _REPORT)
    return f"- {request}{f' — {report}' if report else ''}{_changed(turn)}"


def _report(turn: Turn) -> str:
    """What the last reply says first, as running text; nothing of a turn that the next message cut short."""
    if not turn.is_ended:
        return "cut short by the next message"
    prose = _FENCED.sub(" ", turn.replies[-1]) if turn.replies else ""
    lines = (line for line in prose.splitlines() if not line.startswith(("|", "---")))
    return _MARKUP.sub("", one_line(" ".join(lines)))[: 4 * _REPORT]


def _begun(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest].rpartition(" ")[0] + " …"


def _changed(turn: Turn) -> str:
    names = [path.replace("\\", "/").rstrip("/").rpartition("/")[2] for path in turn.operations.modified]
    if not names:
        return ""
    more = f" and {len(names) - _CHANGED_SHOWN} more" if len(names) > _CHANGED_SHOWN else ""
    return f" (changed {', '.join(map(code, names[:_CHANGED_SHOWN]))}{more})"


def _fails(command: Command) -> str:
    return "fails." if command.exit_code is None else f"fails with exit code {command.exit_code}."


def _question(turn: Turn) -> str:
    """The question a reply ends with, "" when it ends otherwise."""
    if not turn.replies or not turn.is_ended:
        return ""
    last = one_line(turn.replies[-1].split("\n\n")[-1])
    return clip(last, _REQUEST) if last.endswith("?") else ""


def _is_computed(text: str) -> bool:
    """Whether a step of an earlier digest was computed: then it was computed anew."""
    return text.startswith(("- [ ]", "- `", "- Finish “", "- The last reply asks:"))
