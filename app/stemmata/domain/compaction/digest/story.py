"""The parts of a digest taken from the conversation: goal, constraints, progress, decisions, next steps, context."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from stemmata.domain.compaction.digest import passages
from stemmata.domain.compaction.digest.layout import LayoutItem, LayoutPart, split_left_out
from stemmata.domain.compaction.digest.passages import clip, code, one_line, quote, unique
from stemmata.domain.compaction.operations import Command, Operations, ToolCalled, ToolEnded, collected, tool_events
from stemmata.domain.compaction.summary.sections import (
    BLOCKED,
    DONE,
    IN_PROGRESS,
    Section,
    list_items,
    section_groups,
)
from stemmata.domain.compaction.summary.summary import nothing
from stemmata.domain.entries.blocks import Text, ToolCall, plain_text
from stemmata.domain.entries.entry import MESSAGE_KINDS, Entry, Flag, Role
from stemmata.domain.entries.prompts import is_prompt
from stemmata.domain.tool_calls.checks import core_command
from stemmata.domain.tool_calls.outcomes import Outcome
from stemmata.domain.tool_calls.use import PlanStepState

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
    """A focus text. The weight of a text is the number of the focus's words in it; 0 for an empty focus."""

    def __init__(self, text: str) -> None:
        self.text = one_line(text)
        words = {word.strip(".-/").casefold() for word in _WORD.findall(text)}
        self._words = sorted(words - _COMMON - {""})

    def weight(self, text: str) -> int:
        """Return how many words of the focus occur in the text."""
        lowered = text[:_LONGEST_TEXT].casefold()
        return sum(word in lowered for word in self._words)

    def __bool__(self) -> bool:
        return bool(self._words)


class Excerpts:
    """Collects the passages that match a focus best, entry by entry."""

    def __init__(self, focus: Focus) -> None:
        self._focus = focus
        self._count = 0
        self._found: dict[str, tuple[int, bool, int, str]] = {}

    def add(self, entry: Entry) -> None:
        """Look at the next entry of the conversation."""
        if not self._focus:
            return
        for speaker, passage in _passages(entry):
            self._count += 1
            weight = self._focus.weight(passage)
            if weight:
                text = f"- {speaker}: {clip(passage, _LONGEST_EXCERPT)}"
                self._found[passage] = (weight, speaker in _PEOPLE, self._count, text)

    def best(self) -> list[str]:
        """Return the passages that match best as list items, in the order of the conversation."""
        best = sorted(self._found.values())[-EXCERPTS:]
        return [text for _, _, _, text in sorted(best, key=lambda row: row[2])]


def _passages(entry: Entry) -> Iterator[tuple[str, str]]:
    if entry.kind not in MESSAGE_KINDS or entry.flags & Flag.EXCLUDED:
        return
    speaker, text = _speaker(entry), plain_text(entry.blocks)[:_LONGEST_TEXT]
    pieces = text.splitlines() if entry.role in (Role.TOOL_RESULT, Role.BASH_EXECUTION) else text.split("\n\n")
    yield from ((speaker, line) for line in map(one_line, pieces) if line)


def _speaker(entry: Entry) -> str:
    if entry.role is Role.ASSISTANT:
        return "Assistant"
    if entry.role is Role.TOOL_RESULT:
        return f"Result of {code(entry.tool or 'a tool')}"
    return f"Output of {code(entry.name)}" if entry.role is Role.BASH_EXECUTION else "User"


_TRIVIAL = 3  # a request of at most this many words, such as "ok, continue", is not listed by itself


@dataclass
class StoryTurn:
    """A user's request and the entries after it. `request` is its text; None when the entries begin inside a turn.

    `replies` are the texts of the assistant's messages, also of those that were stopped. `events` are the calls and
    results of the tools. `has_calls` says whether the assistant called a tool, `is_ended` whether its last message is
    complete and calls no tool. The results of tools, which are most of the text, are not kept.
    """

    request: str | None
    replies: list[str] = field(default_factory=list)
    events: list[ToolCalled | ToolEnded] = field(default_factory=list)
    has_calls: bool = False
    is_ended: bool = False

    def add(self, entry: Entry) -> None:
        """Take in the next entry after the request."""
        self.events.extend(tool_events(entry))
        calls = any(isinstance(block, ToolCall) for block in entry.blocks)
        self.has_calls = self.has_calls or calls
        if entry.role is not Role.ASSISTANT:
            return
        self.is_ended = not entry.flags & (Flag.ABORTED | Flag.FAILED) and (
            bool(entry.flags & Flag.ENDS_TURN) or not calls
        )
        text = plain_text(entry.blocks, "\n\n").strip()
        if text:
            self.replies.append(text)

    @property
    def text(self) -> str:
        """The text of the request, "" without one."""
        return self.request or ""

    @cached_property
    def operations(self) -> Operations:
        """The operations of the tools in this turn."""
        return collected(self.events)

    @cached_property
    def sentences(self) -> list[str]:
        """The sentences of the request, as `passages.sentences` finds them."""
        return list(passages.sentences(self.text))

    @cached_property
    def limits(self) -> list[str]:
        """The sentences of the request that set a limit or state a preference."""
        return passages.constraints(self.sentences)

    @cached_property
    def choices(self) -> list[str]:
        """The sentences of the request that state a choice."""
        return passages.choices(self.sentences)

    @property
    def is_trivial(self) -> bool:
        """Whether the turn is too short to be listed: a very short request without tool calls."""
        return self.request is not None and len(self.text.split(maxsplit=_TRIVIAL)) <= _TRIVIAL and not self.has_calls


def turns_of(entries: Iterable[Entry], pause: Callable[[], object] = nothing) -> Iterator[StoryTurn]:
    """Yield the entries as turns. A user message that a tool wrote does not start a turn.

    `pause` is called for each entry.
    """
    turn: StoryTurn | None = None
    for entry in entries:
        pause()
        if entry.flags & Flag.EXCLUDED:
            continue
        if is_request(entry):
            if turn is not None:
                yield turn
            turn = StoryTurn(plain_text(entry.blocks).strip())
        else:
            turn = turn or StoryTurn(None)
            turn.add(entry)
    if turn is not None:
        yield turn


def is_request(entry: Entry) -> bool:
    """Return whether the entry is a prompt with text."""
    is_said = is_prompt(entry.kind, entry.role, entry.flags)
    return is_said and any(isinstance(block, Text) and block.text.strip() for block in entry.blocks)


_FIRST, _LATEST = "First request:", "Latest request:"
_DETAILS = "Further details from the user"
_TELLING = re.compile(r"\d|(?<=[a-z,] )[A-Z]")
_LAST_REPLY, _EARLIER, _BRANCH = "Last reply", "Earlier summary", "Summary of another branch"
_ABOUT = "About "
_GOAL, _REQUEST, _REPORT, _REPLY = 1600, 260, 240, 1600  # characters, clipped
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARKUP = re.compile(r"\*\*|(?:^|(?<= ))#{1,6} ")
_CONTINUED = "(continued)"
_CONSTRAINTS_CLAIM, _CONSTRAINTS_SHARE = 60, 4  # percent of the digest; share of the rest
_MANY_WORDS = 6  # a request needs this many words to be used as the goal
_CHANGED_SHOWN = 4


@dataclass(frozen=True)
class DigestInput:
    """The input of a digest. `earlier` are the known sections of the previous summary, `other_text` the rest.

    `is_split`: the end of the last turn is not summarised. `branches` are the texts of summaries of other branches,
    `excerpts` the passages on the focus. `pause` is called for each turn where its texts are read.
    """

    turns: Sequence[StoryTurn]
    is_split: bool
    branches: Sequence[str]
    excerpts: Sequence[str]
    earlier: Mapping[Section, str]
    other_text: str
    focus: Focus
    pause: Callable[[], object]

    @cached_property
    def progress(self) -> Mapping[str, str]:
        """The parts of the earlier summary's progress section by heading."""
        return section_groups(self.earlier.get(Section.PROGRESS, ""))

    @property
    def current(self) -> StoryTurn | None:
        """The turn that is not finished: the split turn, else the last turn if it has not ended; None without one."""
        last = self.turns[-1] if self.turns else None
        return last if last is not None and (self.is_split or not last.is_ended) else None

    @property
    def continues_earlier_turn(self) -> bool:
        """Whether the current turn began before these entries; its request is in the previous summary then."""
        return self.current is not None and self.current.request is None

    def kept(self, section: Section) -> tuple[list[str], int]:
        """Return the items of the earlier summary's section, and the number of items that it left out."""
        return split_left_out(list_items(self.earlier.get(section, "")))


def goal(story: DigestInput) -> LayoutPart:
    """Return the goal: the first request and the latest one of enough words; an earlier goal is kept unchanged."""
    earlier = story.earlier.get(Section.GOAL, "").split(_LATEST)[0].strip()
    asked = [turn.text for turn in story.turns if turn.text]
    telling = [text for text in asked if len(text.split(maxsplit=_MANY_WORDS)) >= _MANY_WORDS] or asked
    found = [earlier] if earlier and earlier != "- None" else []
    if telling and not found:
        found.append(f"{_FIRST}\n\n{quote(clip(telling[0], _GOAL))}")
    if telling and (len(telling) > 1 or earlier):
        found.append(f"{_LATEST}\n\n{quote(clip(telling[-1], _GOAL))}")
    latest = _latest_of(story.earlier) if earlier and not telling else ""
    return LayoutPart(Section.GOAL, [LayoutItem(text) for text in (*found, latest) if text], noun="goals", share=6)


def constraints(story: DigestInput) -> LayoutPart:
    """Return the constraints as sentences of the user; those of the previous summary come first.

    They claim most of the digest, because a later digest finds them only in this summary. When there are too many,
    firm ones ("never", "must") are kept before preferences.
    """
    earlier, left_out = story.kept(Section.CONSTRAINTS)
    limiting = (sentence for turn in story.turns for sentence in turn.limits)
    texts = unique((*earlier, *(f"- “{sentence}”" for sentence in limiting)))
    items = [LayoutItem(text, 2 * story.focus.weight(text) + passages.is_firm(text)) for text in texts]
    return LayoutPart(Section.CONSTRAINTS, items, noun="sentences", share=_CONSTRAINTS_SHARE, left_out=left_out,
                claim=_CONSTRAINTS_CLAIM, keeps_oldest=True)  # fmt: skip


def done(story: DigestInput) -> LayoutPart:
    """Return a line for each finished turn: the request, the beginning of the reply, and the changed files."""
    earlier, left_out = split_left_out(list_items(story.progress.get(DONE, "") or story.progress.get("", "")))
    if story.turns and not story.continues_earlier_turn:
        earlier += list_items(story.progress.get(IN_PROGRESS, ""))
    ended = [turn for turn in story.turns if turn is not story.current and not turn.is_trivial]
    found = [LayoutItem(text) for text in earlier]
    for turn in ended:
        story.pause()
        found.append(_turn_item(turn, story.focus))
    return LayoutPart(Section.PROGRESS, found, DONE, "requests", share=20, left_out=left_out)


def in_progress(story: DigestInput) -> LayoutPart:
    """Return the unfinished turn, with its last reply so far and the files that it changed."""
    turn = story.current
    found = list_items(story.progress.get(IN_PROGRESS, "")) if story.continues_earlier_turn or not story.turns else []
    if turn is not None:
        so_far = f" — so far: {one_line(clip(turn.replies[-1], 2 * _REPORT))}" if turn.replies else ""
        request = f"“{clip(one_line(turn.text), 2 * _REQUEST)}”" if turn.text else _CONTINUED
        found.append(f"- {request}{so_far}{_changed(turn)}")
    return LayoutPart(Section.PROGRESS, [LayoutItem(text) for text in found], IN_PROGRESS, "requests", share=6)


def blocked(story: DigestInput, operations: Operations) -> LayoutPart:
    """Return earlier blocked items, blocked steps of the plan, and checks whose last run failed."""
    earlier = [text for text in list_items(story.progress.get(BLOCKED, "")) if not text.startswith("- `")]
    failing = [f"- {code(clip(core_command(command.text), 200))} {_fails(command)}" for command in operations.commands
               if command.is_check and command.outcome is Outcome.FAILED]  # fmt: skip
    steps = [f"- {step.text}" for step in operations.plan if step.state is PlanStepState.BLOCKED]
    return LayoutPart(
        Section.PROGRESS, [LayoutItem(text) for text in unique((*earlier, *steps, *failing))], BLOCKED, share=3
    )


def decisions(story: DigestInput) -> LayoutPart:
    """Return the choices of the user and the causes that the assistant found, as quoted sentences."""
    earlier, left_out = story.kept(Section.DECISIONS)
    limits = {sentence for turn in story.turns for sentence in turn.limits}
    found: list[str] = []
    for turn in story.turns:
        story.pause()
        found += [f"- “{sentence}”" for sentence in turn.choices if sentence not in limits]
        causes = next(filter(None, map(passages.findings, reversed(turn.replies))), ())
        found += [f"- Assistant: {one_line(cause)}" for cause in causes[-1:]]
    items = _weighted_items(story, unique((*earlier, *found)))
    return LayoutPart(Section.DECISIONS, items, noun="decisions", share=8, left_out=left_out)


def steps(story: DigestInput, operations: Operations) -> LayoutPart:
    """Return the next steps: earlier ones, the plan, the unfinished request, open calls, the reply's question."""
    earlier = [text for text in list_items(story.earlier.get(Section.NEXT, "")) if not _is_computed(text)]
    marks = {PlanStepState.PENDING: "[ ]", PlanStepState.ACTIVE: "[ ] (begun)"}
    found = [f"- {marks[step.state]} {one_line(step.text)}" for step in operations.plan if step.state in marks]
    last = story.turns[-1] if story.turns else None
    if story.current is not None and story.current.text:
        found.append(f"- Finish “{clip(one_line(story.current.text), _REQUEST)}”")
    if last is not None:
        unfinished = last.operations.unfinished
        found += [f"- {code(call.tool)} {code(clip(call.subject, 200))} has no result." for call in unfinished]
        question = _question(last)
        found += [f"- The last reply asks: “{question}”"] if question else []
    return LayoutPart(Section.NEXT, [LayoutItem(text) for text in unique((*earlier, *found))], noun="steps", share=6)


def context(story: DigestInput) -> list[LayoutPart]:
    """Return the last reply, passages on the focus, branch summaries, and an earlier summary of unknown form.

    Before them come the sentences of long requests that no other section quotes.
    """
    earlier = {title: text for title, text in section_groups(story.earlier.get(Section.CRITICAL, "")).items()
               if title != _LAST_REPLY and text != "- None"}  # fmt: skip
    earlier_details, left_out = split_left_out(list_items(earlier.pop(_DETAILS, "")))
    parts = [_kept_part(title, text) for title, text in earlier.items()]
    if story.other_text:
        parts.append(
            LayoutPart(Section.CRITICAL, [LayoutItem(quote(story.other_text))], _EARLIER, "summaries", share=20)
        )
    told = earlier_details + [f"- {sentence}" for sentence in _details(story)]
    further = [LayoutItem(text, _is_telling(text) + story.focus.weight(text)) for text in unique(told)]
    parts.append(LayoutPart(Section.CRITICAL, further, _DETAILS, "sentences", share=6, left_out=left_out))
    quotes = [LayoutItem(quote(clip(text, 4000))) for text in story.branches if text.strip()]
    parts.append(LayoutPart(Section.CRITICAL, quotes, _BRANCH, "summaries", share=8))
    excerpts = [LayoutItem(text) for text in story.excerpts]
    parts.append(
        LayoutPart(Section.CRITICAL, excerpts, f"{_ABOUT}“{clip(story.focus.text, 80)}”", "passages", share=10)
    )
    reply = next((turn.replies[-1] for turn in reversed(story.turns) if turn.replies), "")
    last = [LayoutItem(quote(clip(reply, _REPLY)))] if reply else []
    return [*parts, LayoutPart(Section.CRITICAL, last, _LAST_REPLY, share=8)]


def _details(story: DigestInput) -> Iterator[str]:
    """Yield the sentences of the user that are cut off where a request is quoted, and are no constraint or choice."""
    for turn in story.turns:
        whole = one_line(turn.text)
        if len(whole) <= _REQUEST:
            continue
        shown = clip(whole, _REQUEST)
        quoted = {*turn.limits, *turn.choices}
        for sentence in turn.sentences:
            if sentence not in quoted and one_line(sentence) not in shown:
                yield one_line(sentence)


def _is_telling(text: str) -> bool:
    """Return whether a sentence contains a number or a name; such sentences are kept before others."""
    return _TELLING.search(text) is not None


def _kept_part(title: str, text: str) -> LayoutPart:
    found, left_out = split_left_out(list_items(text)) if not text.startswith(">") else ([text], 0)
    return LayoutPart(
        Section.CRITICAL, [LayoutItem(item) for item in found], title, "passages", share=10, left_out=left_out
    )


def _weighted_items(story: DigestInput, texts: Iterable[str]) -> list[LayoutItem]:
    return [LayoutItem(text, story.focus.weight(text)) for text in texts]


def _latest_of(earlier: Mapping[Section, str]) -> str:
    _, mark, text = earlier.get(Section.GOAL, "").partition(_LATEST)
    return f"{mark}{text}".strip()


def _turn_item(turn: StoryTurn, focus: Focus) -> LayoutItem:
    weight = focus.weight(turn.text)
    room = 3 if weight else 1
    request = f"“{clip(one_line(turn.text), room * _REQUEST)}”" if turn.text else _CONTINUED
    report = _begun(_report(turn), room * _REPORT)
    changed = _changed(turn)
    return LayoutItem(f"- {request}{f' — {report}' if report else ''}{changed}", weight, f"- {request}{changed}")


def _report(turn: StoryTurn) -> str:
    """Return the beginning of the last reply as running text, or a note when the next message ended the turn."""
    if not turn.is_ended:
        return "cut short by the next message"
    prose = _FENCED.sub(" ", turn.replies[-1][:_LONGEST_TEXT]) if turn.replies else ""
    lines = (line for line in prose.splitlines() if not line.startswith(("|", "---")))
    return _MARKUP.sub("", one_line(" ".join(lines)))[: 4 * _REPORT]


def _begun(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest].rpartition(" ")[0] + " …"


def _changed(turn: StoryTurn) -> str:
    names = [path.replace("\\", "/").rstrip("/").rpartition("/")[2] for path in turn.operations.modified]
    if not names:
        return ""
    more = f" and {len(names) - _CHANGED_SHOWN} more" if len(names) > _CHANGED_SHOWN else ""
    return f" (changed {', '.join(map(code, names[:_CHANGED_SHOWN]))}{more})"


def _fails(command: Command) -> str:
    return "fails." if command.exit_code is None else f"fails with exit code {command.exit_code}."


def _question(turn: StoryTurn) -> str:
    """Return the question at the end of the last reply, "" without one."""
    if not turn.replies or not turn.is_ended:
        return ""
    last = one_line(turn.replies[-1].rpartition("\n\n")[2])
    return clip(last, _REQUEST) if last.endswith("?") else ""


def _is_computed(text: str) -> bool:
    """Return whether a step of an earlier digest was computed; such steps are computed again."""
    return text.startswith(("- [ ]", "- `", "- Finish “", "- The last reply asks:"))
