"""Which points of a Claude Code file are forks: exact trees, one shape at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.domain.entries.entry import Flag, Kind
from tests.fakes.claude_code import (
    Found,
    Line,
    boundary,
    call,
    line,
    note,
    only,
    reply,
    result,
    summary,
    user,
    written,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "s.jsonl"


def read(file: Path, *lines: Line | str) -> Found:
    return only(written(file, lines))


def chain(*ids: str) -> dict[str, str | None]:
    """Return the parents of entries that follow one another."""
    return dict(zip(ids, (None, *ids), strict=False))


def whats(found: Found) -> list[str]:
    return [repair.what for repair in found.repaired]


def test_a_rewind_is_a_fork(file: Path) -> None:
    found = read(file, user("u1", None, 0), reply("a1", "u1", 1), user("u2", "a1", 2), user("u3", "a1", 9))
    assert found.parents == {"u1": None, "a1": "u1", "u2": "a1", "u3": "a1"}
    assert found.end.leaf == "u3"
    assert not found.repaired


def test_a_rewind_to_the_start_is_a_second_root(file: Path) -> None:
    found = read(file, user("u1", None, 0), reply("a1", "u1", 1), user("u2", None, 2), reply("a2", "u2", 3))
    assert found.parents == {"u1": None, "a1": "u1", "u2": None, "a2": "u2"}


def test_notes_beside_a_message_stay_in_line(file: Path) -> None:
    found = read(
        file, user("u", None, 0), note("n1", "u", 1), note("n2", "u", 2), reply("a", "u", 3), note("n3", "a", 4)
    )
    assert found.parents == chain("u", "n1", "n2", "a", "n3")
    assert found.end.leaf == "n3"
    assert {id for id, entry in found.by_id.items() if entry.flags & Flag.REPAIRED} == {"n2", "a"}
    assert whats(found) == ["2 late tool results, message parts or notes were appended to their branch."]


def test_a_prompt_behind_notes_forks_where_the_first_one_did(file: Path) -> None:
    found = read(
        file, user("u1", None, 0), reply("a", "u1", 1), note("n1", "a", 2), user("u2", "n1", 3), reply("b", "u2", 4),
        note("late", "a", 5), user("u3", "late", 6), user("u4", "n1", 7),
    )  # fmt: skip
    assert found.parents == {
        "u1": None, "a": "u1", "n1": "a", "u2": "n1", "b": "u2", "late": "b", "u3": "n1", "u4": "n1",
    }  # fmt: skip


def test_parts_of_one_message_and_late_results_stay_in_line(file: Path) -> None:
    found = read(
        file, user("u", None, 0), call("c1", "u", 1, "m", "t1"), call("c2", "c1", 2, "m", "t2"),
        call("c3", "c2", 3, "m", "t3"), result("r3", "c3", 4, "t3"), note("n", "r3", 5), result("r2", "c2", 6, "t2"),
        result("r1", "c1", 7, "t1"), reply("a", "r1", 8),
    )  # fmt: skip
    assert found.parents == chain("u", "c1", "c2", "c3", "r3", "n", "r2", "r1", "a")


def test_a_result_beside_the_next_call_stays_in_line(file: Path) -> None:
    found = read(
        file, user("u", None, 0), call("c1", "u", 1, "m", "t1"), result("r1", "c1", 2, "t1"),
        call("c2", "c1", 3, "m", "t2"), result("r2", "c2", 4, "t2"), reply("a", "r2", 5),
    )  # fmt: skip
    assert found.parents == chain("u", "c1", "r1", "c2", "r2", "a")


def test_a_call_that_leads_nowhere_stays_in_line(file: Path) -> None:
    found = read(
        file, user("u", None, 0), call("c1", "u", 1, "m", "t1"), call("dead", "c1", 2, "other", "t2"),
        result("r1", "c1", 3, "t1"), reply("a", "r1", 4),
    )  # fmt: skip
    assert found.parents == chain("u", "c1", "dead", "r1", "a")


def test_a_conversation_that_goes_on_behind_progress_lines(file: Path) -> None:
    found = read(
        file, user("u", None, 0), call("c1", "u", 1, "m1", "t1"), result("r1", "c1", 2, "t1"),
        note("hook", "r1", 3), line("progress", "p", "c1", 4, data={"type": "x"}),
        call("c2", "p", 5, "m2", "t2"), result("r2", "c2", 6, "t2"),
    )  # fmt: skip
    assert found.parents == chain("u", "c1", "r1", "hook", "p", "c2", "r2")


def test_the_next_reply_below_the_first_of_two_results(file: Path) -> None:
    found = read(
        file, user("u", None, 0), call("c1", "u", 1, "m", "t1"), call("c2", "c1", 2, "m", "t2"),
        result("r1", "c1", 3, "t1"), result("r2", "c2", 4, "t2"), reply("a", "r1", 5), reply("again", "r2", 9),
    )  # fmt: skip
    assert found.parents == chain("u", "c1", "c2", "r1", "r2", "a") | {"again": "r2"}


def test_a_second_answer_to_a_call_is_a_fork(file: Path) -> None:
    found = read(
        file, user("u", None, 0), call("c", "u", 1, "m", "t"), result("r1", "c", 2, "t"), reply("a", "r1", 3),
        result("r2", "c", 9, "t"), reply("b", "r2", 10),
    )  # fmt: skip
    assert found.parents == chain("u", "c", "r1", "a") | {"r2": "r1", "b": "r2"}


def test_a_result_after_its_turn_is_a_fork(file: Path) -> None:
    found = read(
        file, user("u", None, 0), call("c", "u", 1, "m", "t"), user("u2", "c", 2), reply("a", "u2", 3),
        result("r", "c", 9, "t"),
    )  # fmt: skip
    assert found.parents == chain("u", "c", "u2", "a") | {"r": "c"}


def test_another_reply_to_the_same_prompt_is_a_fork(file: Path) -> None:
    found = read(file, user("u", None, 0), reply("a", "u", 1), reply("b", "u", 2), reply("c", "u", 3))
    assert found.parents == {"u": None, "a": "u", "b": "u", "c": "u"}


def test_text_that_the_tool_injects_belongs_to_the_turn(file: Path) -> None:
    found = read(
        file, user("u", None, 0), call("c1", "u", 1, "m", "t1"), call("c2", "c1", 1.5, "m", "t2"),
        result("r1", "c1", 2, "t1"), user("meta", "r1", 3, isMeta=True), result("r2", "c2", 4, "t2"),
        user("meta2", "r1", 5, isMeta=True), reply("a", "meta2", 6),
    )  # fmt: skip
    assert found.parents == chain("u", "c1", "c2", "r1", "meta", "r2", "meta2", "a")


def test_replayed_lines_are_kept_once_and_what_follows_them_goes_on(file: Path) -> None:
    lines = [
        user("u", None, 0), reply("a", "u", 1), user("v", "a", 2, "same"), call("c", "v", 3, "m", "t"),
        result("r", "c", 4, "t"),
        user("v'", "a", 2, "same"), call("c'", "v'", 3, "m", "t"), result("r'", "c'", 4, "t"), reply("b", "r'", 5),
    ]  # fmt: skip
    lines[6]["message"]["content"] = lines[3]["message"]["content"]
    found = read(file, *lines)
    assert found.parents == chain("u", "a", "v", "c", "r", "b")
    assert [repair.entry for repair in found.repaired][:3] == ["v'", "c'", "r'"]


def test_a_second_replay_of_a_forked_prompt_is_kept_once(file: Path) -> None:
    found = read(
        file, user("u", None, 0), reply("a", "u", 1), user("v", "a", 2), user("w", "a", 3, "w"),
        user("w'", "a", 3, "w"), reply("b", "w'", 4),
    )  # fmt: skip
    assert found.parents == {"u": None, "a": "u", "v": "a", "w": "a", "b": "w"}


def test_different_lines_of_one_instant_stay_in_line(file: Path) -> None:
    found = read(file, user("u", None, 0), reply("a", "u", 1), user("v", "a", 2), user("w", "a", 2))
    assert found.parents == chain("u", "a", "v", "w")
    assert [repair.entry for repair in found.repaired] == ["w"]


def test_lines_without_a_time_are_never_replays(file: Path) -> None:
    same = {"content": "same", "timestamp": None}
    lines = [user("u", None, 0), user("v", "u", 0) | same, user("w", "u", 0) | same]
    assert read(file, *lines).parents == {"u": None, "v": "u", "w": "u"}


def test_a_file_that_links_nothing_is_one_line(file: Path) -> None:
    found = read(file, user("u", None, 0), note("n", None, 1), reply("a", None, 2), result("r", None, 3, "t"))
    assert found.parents == chain("u", "n", "a", "r")
    assert whats(found) == ["3 lines had no parent; linked to the previous line."]


def test_an_answer_written_twice_without_links_is_kept_once(file: Path) -> None:
    found = read(file, user("u", None, 0), result("r", None, 1, "t"), result("r'", None, 1, "t"))
    assert found.parents == chain("u", "r")


def test_many_repairs_of_a_kind_are_counted(file: Path) -> None:
    found = read(file, *[user(f"u{at}", "gone", at) for at in range(25)])
    assert len(found.repaired) == 21
    assert whats(found)[-1].endswith(" 5 more lines of this kind.")


def test_a_note_without_a_parent_goes_to_the_end_of_the_line(file: Path) -> None:
    found = read(
        file, user("u", None, 0), reply("a", "u", 1), note("n", None, 2), note("lost", "gone", 3), user("v", "a", 4)
    )
    assert found.parents == chain("u", "a", "n", "lost", "v")


def test_orphans_become_roots_and_are_reported(file: Path) -> None:
    found = read(file, user("u", None, 0), reply("a", "u", 1), user("lost", "gone", 2), reply("b", "lost", 3))
    assert found.parents == {"u": None, "a": "u", "lost": None, "b": "lost"}
    assert [(repair.entry, repair.what) for repair in found.repaired] == [
        ("lost", "Line 3: Its parent is not in the file; stored as a root, or a note linked to the previous line.")
    ]
    assert found.by_id["lost"].flags & Flag.REPAIRED


def test_circles_are_cut_at_their_first_line(file: Path) -> None:
    found = read(
        file, user("p", "x", 0), user("x", "z", 1), user("y", "x", 2), user("z", "y", 3), user("self", "self", 4)
    )
    assert found.parents == {"p": "x", "x": None, "y": "x", "z": "y", "self": None}
    assert {repair.entry for repair in found.repaired if "cycle" in repair.what} == {"x", "self"}


def test_a_circle_that_a_later_line_leads_into(file: Path) -> None:
    found = read(file, user("b", "c", 0), user("c", "a", 1), user("a", "b", 2))
    assert found.parents == {"b": None, "a": "b", "c": "a"}
    assert [entry.id for entry in found.entries] == ["b", "a", "c"]


def test_a_parent_that_comes_later_is_found(file: Path) -> None:
    found = read(file, user("u", None, 0), note("second", "first", 2), note("first", "u", 1), reply("a", "second", 3))
    assert found.parents == chain("u", "first", "second", "a")
    assert not found.repaired


def test_a_compaction_hangs_below_the_history_it_stands_for(file: Path) -> None:
    found = read(
        file, user("u", None, 0), reply("a", "u", 1), note("n", "a", 2), boundary("cb", "a", 3), note("m", "cb", 3.5),
        summary("cs", "m", 4), user("v", "cs", 5),
    )  # fmt: skip
    assert found.parents == chain("u", "a", "n", "cb", "m", "cs", "v")
    compaction = found.by_id["cs"]
    assert compaction.kind is Kind.COMPACTION
    assert compaction.target is None
    assert compaction.usage is not None
    assert compaction.usage.total == 150000
    assert '"trigger":"auto"' in compaction.details
    assert found.by_id["cb"].kind is Kind.CUSTOM


def test_a_compaction_on_a_rewound_branch(file: Path) -> None:
    found = read(
        file, user("u", None, 0), reply("a", "u", 1), user("v", "a", 2), reply("b", "v", 3), user("w", "a", 4),
        boundary("cb", "b", 5), summary("cs", "cb", 6),
    )  # fmt: skip
    assert found.parents == {"u": None, "a": "u", "v": "a", "b": "v", "w": "a", "cb": "b", "cs": "cb"}


def test_what_follows_a_compaction_that_keeps_messages_comes_after_it(file: Path) -> None:
    found = read(
        file, user("u", None, 0), reply("a", "u", 1), user("v", "a", 2), reply("b", "v", 3),
        boundary("cb", "b", 4, preservedSegment={"headUuid": "v", "tailUuid": "b", "anchorUuid": "cs"}),
        summary("cs", "cb", 5), user("w", "b", 6), user("x", "b", 7),
    )  # fmt: skip
    assert found.parents == chain("u", "a", "v", "b", "cb", "cs", "w") | {"x": "cs"}
    assert found.by_id["cs"].target == "v"


def test_kept_messages_that_are_written_again_below_the_summary(file: Path) -> None:
    kept = {"anchorUuid": "cs", "uuids": ["a", "v", "b"]}
    found = read(
        file, user("u", None, 0), reply("a", "u", 1), user("v", "a", 2),
        boundary("cb", "b", 4, preservedSegment={"headUuid": "a", "tailUuid": "b"}, preservedMessages=kept),
        summary("cs", "cb", 5), reply("b", "cs", 3), user("w", "b", 6),
    )  # fmt: skip
    assert found.parents == chain("u", "a", "v", "cb", "cs", "b", "w")
    assert found.by_id["cs"].target == "a"


def test_a_compaction_of_the_end_alone_hangs_below_the_kept_beginning(file: Path) -> None:
    found = read(
        file, user("u", None, 0), reply("a", "u", 1), user("v", "a", 2), reply("b", "v", 3),
        boundary("cb", "b", 4, preservedSegment={"headUuid": "u", "tailUuid": "a", "anchorUuid": "cb"}),
        summary("cs", "cb", 5), user("w", "cs", 6),
    )  # fmt: skip
    assert found.parents == {"u": None, "a": "u", "v": "a", "b": "v", "cb": "a", "cs": "cb", "w": "cs"}


def test_kept_ids_that_only_the_list_of_messages_names(file: Path) -> None:
    found = read(
        file, user("u", None, 0), reply("a", "u", 1),
        boundary("cb", None, 4, preservedMessages={"uuids": ["u", 7, "a"]}), summary("cs", "cb", 5),
    )  # fmt: skip
    assert found.parents == chain("u", "a", "cb", "cs")
    assert found.by_id["cs"].target == "u"


def test_a_compaction_whose_history_is_in_another_file(file: Path) -> None:
    found = read(file, user("u", None, 0), reply("a", "u", 1), boundary("cb", "elsewhere", 2), summary("cs", "cb", 3))
    assert found.parents == {"u": None, "a": "u", "cb": None, "cs": "cb"}
    assert '"logicalParentUuid":"elsewhere"' in found.by_id["cb"].details
    assert [repair.entry for repair in found.repaired] == ["cb"]


def test_a_compaction_that_names_no_history_goes_on_where_the_file_stands(file: Path) -> None:
    found = read(file, user("u", None, 0), reply("a", "u", 1), boundary("cb", None, 2), summary("cs", "cb", 3))
    assert found.parents == chain("u", "a", "cb", "cs")


def test_a_summary_without_a_boundary(file: Path) -> None:
    found = read(file, user("u", None, 0), reply("a", "u", 1), summary("cs", None, 3), user("v", "cs", 4))
    assert found.parents == chain("u", "a", "cs", "v")
    assert found.by_id["cs"].usage is None


def test_an_id_used_twice_with_different_content_is_kept_twice(file: Path) -> None:
    found = read(
        file, user("u", None, 0, "one"), reply("a", "u", 1), user("u", "a", 2, "two"), user("u", "a", 3, "three")
    )
    assert found.parents == {"u": None, "a": "u", "u~2": "a", "u~3": "a"}
    assert [repair.entry for repair in found.repaired] == ["u~2", "u~3"]


def test_a_line_written_twice_is_kept_once(file: Path) -> None:
    again = user("u", None, 0, "one", sessionId="other")
    found = read(file, user("u", None, 0, "one"), reply("a", "u", 1), again, user("v", "a", 2))
    assert found.parents == chain("u", "a", "v")
    assert whats(found) == ["1 line occurs twice with the same content; kept once."]


def test_the_leaf_is_what_a_last_prompt_line_names_if_nothing_was_said_since(file: Path) -> None:
    lines: list[Line] = [user("u", None, 0), reply("a", "u", 1), note("n", "a", 2), user("v", "n", 3)]
    prompt = {"type": "last-prompt", "leafUuid": "a", "sessionId": "s"}
    assert read(file, *lines, prompt).end.leaf == "n"
    assert read(file, *lines, prompt, reply("b", "v", 5)).end.leaf == "b"
    assert read(file, *lines, prompt | {"leafUuid": "gone"}).end.leaf == "v"
    assert read(file, *lines, prompt | {"leafUuid": None}).end.leaf == "v"


def test_the_leaf_of_a_file_without_messages(file: Path) -> None:
    assert read(file, note("n1", None, 0), note("n2", "n1", 1)).end.leaf == "n2"
    prompt = {"type": "last-prompt", "leafUuid": "n1", "sessionId": "s"}
    assert read(file, note("n1", None, 0), note("n2", "n1", 1), prompt).end.leaf == "n2"


def test_thousands_of_late_lines_and_forks_at_one_point(file: Path) -> None:
    lines = [user("u", None, 0), reply("a", "u", 1), user("v", "a", 2)]
    lines += [note(f"n{at}", "u", 3) for at in range(3000)] + [user(f"w{at}", "a", 4 + at) for at in range(3000)]
    found = read(file, *lines)
    assert len(found.leaves) == 3001
