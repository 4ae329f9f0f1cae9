from __future__ import annotations

import gc
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stemmata.domain.compaction import operations
from stemmata.domain.compaction.digest import layout, passages
from stemmata.domain.compaction.digest.digest import MAX_TOKENS, DigestSummariser, common_folder, digest
from stemmata.domain.compaction.digest.layout import LayoutItem, LayoutPart, lay_out
from stemmata.domain.compaction.digest.passages import constraints
from stemmata.domain.compaction.digest.story import StoryTurn, turns_of
from stemmata.domain.compaction.operations import Operations
from stemmata.domain.compaction.plan import plan_compaction
from stemmata.domain.compaction.summary.prompts import with_computed
from stemmata.domain.compaction.summary.sections import Section, section_groups, sections_of, structure_problems
from stemmata.domain.compaction.summary.summary import SummaryInput
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind
from stemmata.domain.entries.tokens import units
from stemmata.domain.entries.tree import Tree
from stemmata.formats.pi.reader import Pi
from tests.strategies import chains, texts
from tests.unit.domain.talk import branch_summary, call, ran, result, says, shell, user

SAMPLES = Path(__file__).parents[5] / "../shared/samples"

WORK = [
    user("Please fix the parser in src/parse.py. Never touch the lexer."),
    says("I will look.", call("1", "read", path="/code/p/src/parse.py")),
    result("1", "def parse(): ..."),
    says(call("2", "edit", path="/code/p/src/parse.py")),
    result("2"),
    *ran("3", "cd /code/p && pytest -q 2>&1 | tail -3", "1 failed\n\nCommand exited with code 1", failed=True),
    says("The root cause is a missing bracket. It is **fixed** now.", ends=True),
    user("thanks"),
    says("You are welcome.", ends=True),
    user("no, use a stack instead. And what about the tests?"),
    says(call("4", "edit", path="/code/p/src/stack.py"), call("5", "bash", command="make docs")),
    result("4", "Error: no such file", failed=True),
]


def told(*entries: Entry, **facts: Any) -> str:
    return digest(SummaryInput(entries=entries, **facts)).text


def section(text: str, wanted: Section) -> str:
    found, rest = sections_of(text)
    assert rest == ""
    return found[wanted]


def part(text: str, wanted: Section, heading: str) -> str:
    return section_groups(section(text, wanted)).get(heading, "")


# -- what it tells --------------------------------------------------------------------------------------------


def test_goal_is_the_first_request_and_the_latest() -> None:
    assert section(told(*WORK), Section.GOAL) == (
        "First request:\n\n> Please fix the parser in src/parse.py. Never touch the lexer.\n\n"
        "Latest request:\n\n> no, use a stack instead. And what about the tests?"
    )
    assert section(told(user("ok")), Section.GOAL) == "First request:\n\n> ok"


def test_constraints_are_kept_word_for_word() -> None:
    assert section(told(*WORK, user("never touch the LEXER.")), Section.CONSTRAINTS) == "- “Never touch the lexer.”"


def test_progress() -> None:
    text = told(*WORK)
    assert part(text, Section.PROGRESS, "Done") == (
        "- “Please fix the parser in src/parse.py. Never touch the lexer.” — The root cause is a missing bracket. "
        "It is fixed now. (changed `parse.py`)"
    )
    assert part(text, Section.PROGRESS, "In progress") == "- “no, use a stack instead. And what about the tests?”"
    assert part(text, Section.PROGRESS, "Blocked") == "- `pytest -q` fails with exit code 1."


def test_decisions() -> None:
    assert section(told(*WORK), Section.DECISIONS) == (
        "- Assistant: The root cause is a missing bracket.\n- “no, use a stack instead.”"
    )


def test_files_below_their_common_folder() -> None:
    more = [says(call("6", "read", path="/code/p/README.md")), result("6")]
    text = section(told(*WORK, *more), Section.FILES)
    assert text == "Below `/code/p/`:\n\n### Changed\n\n- `src/parse.py`\n\n### Read\n\n- `README.md`"


def test_commands_and_how_they_ended() -> None:
    entries = [
        *ran("1", "npm test"),
        *ran("2", "npm test 2>&1 | head -5"),
        *ran("3", "cd /x && git add -A && git commit -m 'a|b'"),
        *ran("4", "sleep 9", "Command aborted", failed=True),
        *ran("5", "npm run lint", "Boom", failed=True),
        *ran("6", "ls"),
        shell("make; echo done"),
        shell("touch a", exitCode=3),
    ]
    assert section(told(*entries), Section.COMMANDS) == (
        "### Checks\n\n- `npm test`: ran (2 runs)\n- `npm run lint`: failed\n- `make; echo done`: ran\n\n"
        "### Other commands\n\n- `git commit -m 'a|b'`: ran\n- `sleep 9`: cancelled\n"
        "- `touch a`: failed with exit code 3\n\n- (1 more that only search, list or print)"
    )


def test_resolved_errors_are_only_counted() -> None:
    mended = [says(call("4", "edit", path="a")), result("4", "no", failed=True), says(call("5", "edit", path="a")),
              result("5")]  # fmt: skip
    assert section(told(*mended), Section.ERRORS) == "- (1 failed call worked when repeated)"
    odd = [result("9", "Error: x", failed=True), *ran("6", "grep x y", "(no output)", failed=True),
           *ran("7", "rm a", "", failed=True)]  # fmt: skip
    assert section(told(*odd), Section.ERRORS) == "- `a tool`: Error: x"


def test_next_steps() -> None:
    plan = [
        {"content": "one", "status": "completed"},
        {"content": "two", "status": "in_progress"},
        {"content": "three"},
    ]
    todo = [says(call("9", "TodoWrite", todos=[*plan, {"content": "four", "status": "blocked"}])), result("9")]
    text = told(*WORK, *todo)
    assert section(text, Section.NEXT) == (
        "- [ ] (begun) two\n- [ ] three\n- Finish “no, use a stack instead. And what about the tests?”\n"
        "- `bash` `make docs` has no result."
    )
    assert part(text, Section.PROGRESS, "Blocked").startswith("- four\n")
    asked = told(user("which one shall it be?"), says("Two ways.\n\nShall I take the first?", ends=True))
    assert section(asked, Section.NEXT) == "- The last reply asks: “Shall I take the first?”"


def test_context() -> None:
    text = told(branch_summary("tried **A**"), branch_summary(" "), *WORK[:8])
    assert part(text, Section.CRITICAL, "Summary of another branch") == "> tried **A**"
    assert part(text, Section.CRITICAL, "Last reply") == "> The root cause is a missing bracket. It is **fixed** now."


def test_empty_input_gives_sections_with_none() -> None:
    text = told()
    assert structure_problems(text) == []
    assert text.count("- None") == len(Section)


def test_excluded_and_injected_entries_are_not_listed() -> None:
    text = told(user("secret words", flags=Flag.EXCLUDED), user("Injected reminder text here", flags=Flag.INJECTED))
    assert "secret" not in text
    assert "Injected" not in text


def test_a_turn_that_the_next_message_cut_short() -> None:
    text = told(user("do the first thing"), user("do the second thing"), says("Half", flags=Flag.ABORTED))
    assert part(text, Section.PROGRESS, "Done") == "- “do the first thing” — cut short by the next message"
    assert part(text, Section.PROGRESS, "In progress") == "- “do the second thing” — so far: Half"


def test_only_the_beginning_of_a_long_reply_is_listed() -> None:
    reply = "# Done\n\n| a | table |\n---\n```\ncode\n```\n" + "many words " * 100
    line = part(told(user("do it please now"), says(reply, ends=True)), Section.PROGRESS, "Done")
    assert line.startswith("- “do it please now” — Done many words")
    assert line.endswith("words …")


def test_many_changed_files_are_counted() -> None:
    edits = says(*(call(str(at), "write", path=f"f{at}.py") for at in range(6)))
    text = told(user("write all of them"), edits, *(result(str(at)) for at in range(6)), says("Done.", ends=True))
    assert "(changed `f0.py`, `f1.py`, `f2.py`, `f3.py` and 2 more)" in text


# -- split turns ----------------------------------------------------------------------------------------------


def test_a_turn_prefix_is_in_progress_even_when_it_ends_in_text() -> None:
    prefix = [user("refactor it all, please"), says("Begun.", ends=True)]
    text = digest(SummaryInput(entries=WORK[:8], turn_prefix=prefix)).text
    assert part(text, Section.PROGRESS, "In progress") == "- “refactor it all, please” — so far: Begun."
    assert "Finish “refactor it all, please”" in section(text, Section.NEXT)


def test_a_prefix_alone_still_merges_the_previous_summary() -> None:
    first = digest(SummaryInput(entries=WORK[:8]))
    prefix = [user("and now the second part of it"), says(call("1", "edit", path="/code/p/b.py"))]
    second = digest(SummaryInput(turn_prefix=prefix, previous=first.text, previous_operations=first.operations))
    assert "“Please fix the parser" in part(second.text, Section.PROGRESS, "Done")
    assert "“Never touch the lexer.”" in second.text
    assert second.operations.modified == ("/code/p/b.py", "/code/p/src/parse.py")


def test_an_unfinished_turn_keeps_its_request() -> None:
    first = digest(SummaryInput(turn_prefix=[user("write the whole book"), says(call("1", "write", path="a"))]))
    rest = [result("1"), says("Chapter two.", call("2", "write", path="b"))]
    second = digest(SummaryInput(turn_prefix=rest, previous=first.text, previous_operations=first.operations))
    assert part(second.text, Section.PROGRESS, "In progress") == (
        "- “write the whole book” (changed `a`)\n- (continued) — so far: Chapter two. (changed `b`)"
    )
    third = digest(SummaryInput(entries=[*rest, says("All done.", ends=True)], previous=first.text))
    assert part(third.text, Section.PROGRESS, "Done") == (
        "- “write the whole book” (changed `a`)\n- (continued) — All done. (changed `b`)"
    )


# -- an earlier summary ---------------------------------------------------------------------------------------


def test_earlier_sections_are_merged_not_nested() -> None:
    first = digest(SummaryInput(entries=WORK))
    later = [result("5"), says("Docs are built.", ends=True), user("please write the changelog too"),
             says("Written.", ends=True)]  # fmt: skip
    second = digest(SummaryInput(entries=later, previous=first.text, previous_operations=first.operations))
    text = second.text
    assert structure_problems(text) == []
    assert text.count("Never touch the lexer.”") == 2  # the constraint, and the request it stands in
    assert section(text, Section.GOAL).startswith("First request:\n\n> Please fix the parser")
    assert section(text, Section.GOAL).endswith("> please write the changelog too")
    assert "no, use a stack" not in section(text, Section.GOAL)
    assert part(text, Section.PROGRESS, "Done").splitlines()[1:] == [
        "- “no, use a stack instead. And what about the tests?”",
        "- (continued) — Docs are built.",
        "- “please write the changelog too” — Written.",
    ]
    assert section(text, Section.NEXT) == "- None"
    assert part(text, Section.CRITICAL, "Last reply") == "> Written."
    assert "Other commands" in text  # make docs has its result now
    assert "fails with exit code 1" in part(text, Section.PROGRESS, "Blocked")


def test_with_nothing_new_the_previous_summary_stays() -> None:
    first = digest(SummaryInput(entries=WORK))
    second = digest(SummaryInput(previous=first.text, previous_operations=first.operations))
    for same in (Section.GOAL, Section.CONSTRAINTS, Section.PROGRESS, Section.FILES, Section.COMMANDS):
        assert section(second.text, same) == section(first.text, same)


MODEL = "\n\n".join(
    f"## {section.value}\n\n{body}"
    for section, body in {
        Section.GOAL: "Fix the parser.",
        Section.PROGRESS: "- read the code",
        Section.FILES: "- `a.py`: the parser",
        Section.COMMANDS: "- `pytest`: red\n- (2 more that only search, list or print)",
        Section.ERRORS: "- bracket missing",
        Section.NEXT: "1. write tests\n2. run them",
        Section.CRITICAL: "The server listens on 8080.",
    }.items()
)


def test_sections_written_by_a_model_are_merged_too() -> None:
    text = told(user("go on then, with the second part"), says("Went on.", ends=True), previous=MODEL)
    assert section(text, Section.GOAL).startswith("Fix the parser.\n\nLatest request:")
    assert part(text, Section.PROGRESS, "Done").startswith("- read the code\n- “go on")
    assert section(text, Section.FILES) == "- `a.py`: the parser"
    assert section(text, Section.COMMANDS) == "- `pytest`: red"
    assert section(text, Section.ERRORS) == "- bracket missing"
    assert "1. write tests" in section(text, Section.NEXT)
    assert "The server listens on 8080." in section(text, Section.CRITICAL)
    assert section(told(previous=MODEL), Section.GOAL) == "Fix the parser."


def test_a_summary_of_unknown_form_is_quoted_once() -> None:
    text = told(user("hello there my old friend again"), previous="# Notes\n\nAll is well.")
    assert part(text, Section.CRITICAL, "Earlier summary") == "> # Notes\n>\n> All is well."
    again = told(previous=text)
    assert part(again, Section.CRITICAL, "Earlier summary") == "> # Notes\n>\n> All is well."


# -- focus and size -------------------------------------------------------------------------------------------


def test_focus_finds_passages_and_gives_requests_more_room() -> None:
    long = "about the queue: " + "it must be drained in order " * 30
    entries = [user(long), says("The queue is drained.", ends=True), user("other " * 200), says("ok", ends=True)]
    plain, focused = told(*entries), told(*entries, focus="the queue")
    assert "About" not in plain
    assert "- Assistant: The queue is drained." in part(focused, Section.CRITICAL, "About “the queue”")
    done = [part(text, Section.PROGRESS, "Done").splitlines()[0] for text in (plain, focused)]
    assert len(done[1]) > len(done[0]) + 300


def test_the_oldest_items_are_left_out_and_counted() -> None:
    entries = [entry for at in range(400) for entry in (user(f"do step number {at} of it"), says("ok", ends=True))]
    summary = DigestSummariser(max_tokens=1500).summarise(SummaryInput(entries=entries))
    assert units(summary.text) <= 6000
    done = part(summary.text, Section.PROGRESS, "Done").splitlines()
    assert done[-1] == "- “do step number 399 of it” — ok"
    count = 400 - (len(done) - 1)
    assert done[0] == f"- ({count} earlier requests left out)"
    again = DigestSummariser(1500).summarise(SummaryInput(entries=entries[:2], previous=summary.text))
    assert f"- ({count + 1} earlier requests left out)" in again.text


def test_characters_that_count_twice() -> None:
    entries = [user(f"never {at} " + "😀" * 60) for at in range(100)]
    assert units(DigestSummariser(400).summarise(SummaryInput(entries=entries)).text) <= 1600
    assert units(DigestSummariser().summarise(SummaryInput(entries=entries, longest=400)).text) <= 1600


def test_the_size_limit_is_shared_by_the_parts() -> None:
    parts = [
        LayoutPart(Section.GOAL, [LayoutItem("g" * 2000)], share=1),
        LayoutPart(Section.NEXT, [LayoutItem("- short")], share=1),
        LayoutPart(
            Section.CRITICAL, [LayoutItem(f"- {at} " + "x" * 90) for at in range(50)], "C", share=4, left_out=2
        ),
    ]
    text = lay_out(parts, 3000)
    assert len(text) <= 3000
    assert "- short" in text
    assert " […] " in text
    assert "- 49 x" in text
    assert "- 0 x" not in text
    assert len(lay_out(parts, 50)) <= 50


def test_a_part_is_laid_out_again_only_when_it_gets_more_room(monkeypatch: pytest.MonkeyPatch) -> None:
    rendered: list[str] = []
    render = layout._render

    def counted(part: LayoutPart, room: int) -> tuple[str, bool]:
        rendered.append(part.heading)
        return render(part, room)

    monkeypatch.setattr(layout, "_render", counted)
    long = [LayoutItem(f"- {at} " + "x" * 90) for at in range(50)]
    lay_out([LayoutPart(Section.GOAL, long[:5], "whole"), LayoutPart(Section.NEXT, long, "cut")], 3000)
    assert rendered.count("whole") == 1
    assert rendered.count("cut") <= 3


def test_items_of_higher_weight_are_kept() -> None:
    items = [LayoutItem("- heavy " + "x" * 80, weight=1), *(LayoutItem(f"- {at} " + "x" * 80) for at in range(40))]
    assert "- heavy" in lay_out([LayoutPart(Section.NEXT, items)], 1500)


def test_a_part_claims_room_before_the_others_share_it() -> None:
    def parts(claim: int) -> list[LayoutPart]:
        listed = {
            name: [LayoutItem(f"- {name} {at:02d} " + "x" * 80) for at in range(40)] for name in ("claims", "waits")
        }
        return [
            LayoutPart(Section.CONSTRAINTS, listed["claims"], claim=claim),
            LayoutPart(Section.NEXT, listed["waits"], share=9),
        ]

    without, with_claim = lay_out(parts(0), 3000), lay_out(parts(60), 3000)
    assert without.count("- claims") < 5 < 15 < with_claim.count("- claims")
    assert with_claim.count("- waits") < without.count("- waits")
    assert len(with_claim) <= 3000
    assert lay_out(parts(60), 100_000).count("- claims") == 40


# -- digests of digests ---------------------------------------------------------------------------------------

GENERATIONS = 100


def later(generation: int, previous: str, longest: int, *more: str) -> str:
    """A digest after another turn; the user's text is `more`, or nothing that limits anything."""
    noise = f"look at part {generation} of the file and tell what it does, then go on"
    entries = [
        user("\n\n".join((noise, *more))),
        says(f"Part {generation}: " + "it reads a line. " * 20, call("1", "read", path=f"/code/p/{generation}.py")),
        result("1", "text " * 50),
        says("The root cause is a missing line. " * 3, ends=True),
    ]
    return DigestSummariser(longest).summarise(SummaryInput(entries=entries, previous=previous)).text


@settings(max_examples=10, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=12), st.integers(1_200, 4_000), st.integers(1, 20))
def test_constraints_survive_a_hundred_digests_word_for_word(told: list[str], longest: int, every: int) -> None:
    """There is space for the constraints, while everything else grows without end."""
    text, expected = "", list[str]()
    for generation in range(GENERATIONS):
        at, is_told = divmod(generation, every)
        new = [f"Never use {told[at]} here: rule {at}."] if not is_told and at < len(told) else []
        expected += [sentence for each in new for sentence in constraints(passages.sentences(each))]
        text = later(generation, text, longest, *new)
        items = section(text, Section.CONSTRAINTS).splitlines()
        assert [sentence for sentence in expected if f"- “{sentence}”" not in items] == []


def test_constraints_survive_a_hundred_summaries_of_models_that_leave_them_out() -> None:
    text, rules = "", [f"Never change table {at:02d}." for at in range(20)]
    for generation in range(GENERATIONS):
        counted = later(generation, text, 3_000, *rules[generation : generation + 1])
        wording = {Section.GOAL: "- Go on.", Section.CONSTRAINTS: f"- Some tables stay, says model {generation}."}
        written = "\n\n".join(f"## {each.value}\n\n{wording.get(each, '- None')}" for each in Section)
        text = with_computed(written, counted)
        found = section(text, Section.CONSTRAINTS)
        assert [rule for rule in rules[: generation + 1] if f"- “{rule}”" not in found.splitlines()] == []
        assert found.count("says model") == 1


def test_where_constraints_are_too_many_the_first_and_the_newest_stay_and_the_rest_is_counted() -> None:
    text = ""
    rules = [f"Never change table {at:05d} in a migration, and keep its column names." for at in range(GENERATIONS)]
    for generation, rule in enumerate(rules):
        text = later(generation, text, 1_200, rule)
        assert units(text) <= 4 * 1_200
    first, *items = section(text, Section.CONSTRAINTS).splitlines()
    kept = [rules.index(item[3:-1]) for item in items]
    assert kept[:20] == list(range(20))
    assert kept[-5:] == list(range(GENERATIONS - 5, GENERATIONS))
    assert first == f"- ({GENERATIONS - len(kept)} earlier sentences left out)"


def test_orders_are_kept_before_preferences() -> None:
    wishes = "\n\n".join(f"I would prefer the colour number {at} for the window." for at in range(GENERATIONS))
    text = later(1, later(0, "", 1_200, wishes), 1_200, "Never push to main.")
    items = section(text, Section.CONSTRAINTS).splitlines()
    assert "- “Never push to main.”" in items
    assert "- “I would prefer the colour number 0 for the window.”" in items


def test_common_folder() -> None:
    assert common_folder(["/a/b/c/d.py", "/a/b/e/f.py"]) == "/a/b/"
    assert common_folder(["/a/b/c/d.py"]) == ""
    assert common_folder(["/a/x.py", "/b/y.py"]) == ""
    assert common_folder(["a/b/c/x.py", "a/b/c/y.py", "z.py"]) == ""


def test_turns() -> None:
    entries = [says("lead"), user("a"), says("b"), Entry(id="l", kind=Kind.LABEL, name="x"), user(" ")]
    turns = list(turns_of(entries))
    assert [turn.text for turn in turns] == ["", "a"]
    assert [turn.replies for turn in turns] == [["lead"], ["b"]]
    assert turns[1].is_ended
    assert turns[1].is_trivial


def test_the_turns_of_a_digest_are_freed_in_parts_also_when_nobody_wants_it() -> None:
    """To free those of a million entries at once would keep the window waiting; the error would hold them."""

    def turns() -> int:
        return sum(isinstance(found, StoryTurn) for found in gc.get_objects())

    held, before = list[int](), turns()

    def pause() -> None:
        held.append(turns() - before)
        if len(held) == len(entries) + 3:  # when all entries are read
            raise CancelledError

    entries = [entry for at in range(6) for entry in (user(f"Do {at}."), says(f"Done with {at}."))]
    with pytest.raises(CancelledError) as error:
        digest(SummaryInput(entries=entries, pause=pause))
    assert held[-1] == 6
    assert turns() - before <= 1
    assert error.tb is not None


def test_each_call_and_each_result_is_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[str] = []

    def noted(name: str) -> Any:
        decode = getattr(operations, name)

        def noting(given: Any) -> Any:
            decoded.append(f"{name} {given.id}")
            return decode(given)

        return noting

    for name in ("tool_use", "ending"):
        monkeypatch.setattr(operations, name, noted(name))
    digest(SummaryInput(entries=WORK[:8], turn_prefix=WORK[8:]))
    assert len(decoded) == 9
    assert sorted(decoded)[-5:] == [f"tool_use {id}" for id in range(1, 6)]


def test_requests_and_replies_are_cut_into_sentences_once(monkeypatch: pytest.MonkeyPatch) -> None:
    long = f"Never touch the lexer. {'The parser reads one token more than it needs. ' * 20}"
    cut: list[str] = []
    whole = passages.sentences

    def noted(text: str) -> Iterator[str]:
        cut.append(text)
        return whole(text)

    monkeypatch.setattr(passages, "sentences", noted)
    told(
        user(long), says("Done.", ends=True), user("Go on"), says("The root cause is known.", "I decided.", ends=True)
    )
    requests = [text for text in cut if text.startswith("Never")]
    assert len(requests) == 1
    assert [text for text in cut if "Done" in text] == []  # without a word of a finding
    assert len([text for text in cut if "decided" in text]) == 1


# -- any session ----------------------------------------------------------------------------------------------


@given(chains(), st.integers(0, 24), texts(), st.integers(0, 900))
def test_any_session_gives_a_whole_digest_of_bounded_size(
    entries: list[Entry], cut: int, text: str, tokens: int
) -> None:
    given_ = SummaryInput(entries=entries[:cut], turn_prefix=entries[cut:], previous=text, focus=text)
    summary = digest(given_)
    assert digest(given_) == summary
    assert structure_problems(summary.text) == []
    small = DigestSummariser(tokens).summarise(given_)
    assert units(small.text) <= 4 * max(300, tokens)
    again = digest(SummaryInput(previous=summary.text, previous_operations=summary.operations))
    assert structure_problems(again.text) == []
    assert len(again.text) <= len(summary.text) + 200


@pytest.mark.skipif(not SAMPLES.exists(), reason="the sample sessions are not here")
def test_pi_s_own_session() -> None:
    path = SAMPLES / "pi" / "before-compaction.jsonl"
    entries = [event for event in Pi().read(path, None) if isinstance(event, Entry)]
    plan = plan_compaction(Tree.from_entries(entries), len(entries) - 1)
    assert plan.previous is not None
    summary = digest(
        SummaryInput(
            entries=[entries[at] for at in plan.summarised],
            turn_prefix=[entries[at] for at in plan.turn_prefix],
            previous=plain_text(entries[plan.previous].blocks),
            previous_operations=Operations(),
        )
    )
    assert summary.summariser == "digest"
    assert units(summary.text) < 4 * MAX_TOKENS
    assert structure_problems(summary.text) == []
    assert section(summary.text, Section.CONSTRAINTS).startswith("- **E2E tests only** - no unit tests\n")
    assert part(summary.text, Section.COMMANDS, "Checks") == "- `npm run check`: cancelled (15 runs)"
    assert "Cannot find module './src/utils/config.js'" in section(summary.text, Section.ERRORS)
    assert len(part(summary.text, Section.FILES, "Changed").splitlines()) == 12


def test_a_digest_can_be_held_up_between_its_steps() -> None:
    pauses: list[None] = []
    told(*WORK, pause=lambda: pauses.append(None))
    assert len(pauses) >= len(WORK) + 2  # for each entry, and for each turn where its texts are read
