from __future__ import annotations

from stemmata.domain.compaction.digest.story import EXCERPTS, Excerpts, Focus
from stemmata.domain.entries.entry import Entry, Flag, Kind
from tests.unit.domain.talk import result, says, shell, user


def test_weight_counts_the_significant_words() -> None:
    focus = Focus("Focus on the bash queue")
    assert focus.weight("the Queue of bash commands") == 2
    assert focus.weight("the queue") == 1
    assert focus.weight("focus on the") == 0
    assert Focus("").weight("anything") == 0


def excerpts(focus: str, *entries: Entry) -> list[str]:
    found = Excerpts(Focus(focus))
    for entry in entries:
        found.add(entry)
    return found.best()


def test_excerpts_are_in_the_order_of_the_conversation() -> None:
    entries = [
        user("about the queue of bash\n\nunrelated"),
        says("bash alone"),
        result("1", "line one\nqueue of bash\nlast", tool="read"),
        shell("ls queue", "bash here"),
        user("queue bash hidden", flags=Flag.EXCLUDED),
        Entry(id="l", kind=Kind.LABEL, name="queue bash"),
    ]
    assert excerpts("bash queue", *entries) == [
        "- User: about the queue of bash",
        "- Assistant: bash alone",
        "- Result of `read`: queue of bash",
        "- Output of `ls queue`: bash here",
    ]
    assert excerpts("the", *entries) == []


def test_the_best_passages_are_kept_people_first() -> None:
    entries = [result("1", "queue line", tool="")] + [says(f"queue number {at}") for at in range(EXCERPTS)]
    found = excerpts("queue", *entries)
    assert len(found) == EXCERPTS
    assert found[0] == "- Assistant: queue number 0"
    assert excerpts("queue", *entries[:1]) == ["- Result of `a tool`: queue line"]
    assert excerpts("queue", says("queue"), says("queue")) == ["- Assistant: queue"]
