from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from stemmata.domain.context.projection import CUT_TOKENS, Form
from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.requests.message_normalizer import (
    NO_RESULT,
    OPENING,
    CallResult,
    CleanMessage,
    Reply,
    UserMessage,
    normalize,
)
from tests.strategies import chains
from tests.unit.domain.talk import branch_summary, result, says, shell, user


def calls(*ids: str) -> Entry:
    return says(*(ToolCall(id, "read") for id in ids))


def cleaned(*entries: Entry, form: Form = Form.WHOLE) -> list[CleanMessage]:
    return normalize([(entry, form) for entry in entries])


def told(messages: list[CleanMessage]) -> list[str]:
    """The messages as letters: A, U, R1, and R1* for a result that was made up."""
    out = []
    for message in messages:
        if isinstance(message, CallResult):
            made_up = message.blocks == (Text(NO_RESULT),)
            out.append(f"R{message.call}{'*' if made_up else ''}")
        else:
            out.append("U" if isinstance(message, UserMessage) else "A")
    return out


def test_vector_pairing_result_moved_and_made_up() -> None:
    assert told(cleaned(user("q"), calls("1", "2"), user("u"), result("1"))) == ["U", "A", "R1", "R2*", "U"]


def test_vector_pairing_orphans_and_duplicates_dropped() -> None:
    entries = (result("9"), user("u"), calls("1"), result("1"), result("1"), result("8"), user("u"))
    assert told(cleaned(*entries)) == ["U", "A", "R1", "U"]


def test_vector_pairing_two_replies() -> None:
    entries = (user("q"), calls("1"), result("1"), calls("2"), result("1"), result("2"))
    assert told(cleaned(*entries)) == ["U", "A", "R1", "A", "R2"]


def test_a_late_result_still_finds_its_call() -> None:
    assert told(cleaned(user("q"), calls("1"), says("meanwhile"), result("1"))) == ["U", "A", "R1", "A"]


def test_an_id_used_again_is_another_call() -> None:
    found = cleaned(user("q"), calls("x"), result("x", "one"), calls("x"), result("x", "two"))
    assert told(found) == ["U", "A", "Rx", "A", "Rx#2"]
    texts = [message.blocks for message in found if isinstance(message, CallResult)]
    assert texts == [(Text("one"),), (Text("two"),)]
    assert told(cleaned(user("q"), calls("x"), calls("x"), result("x"))) == ["U", "A", "Rx*", "A", "Rx#2"]
    assert told(cleaned(user("q"), calls("x", "x"), result("x"), result("x"))) == ["U", "A", "Rx", "Rx#2"]
    assert told(cleaned(user("q"), calls("x#2", "x", "x"))) == ["U", "A", "Rx#2*", "Rx*", "Rx#3*"]


def test_a_made_up_result_is_an_error_of_the_called_tool() -> None:
    assert cleaned(user("q"), calls("1"))[-1] == CallResult("1", "read", (Text(NO_RESULT),), failed=True)


def test_interrupted_replies_are_dropped_with_their_results() -> None:
    for flag in (Flag.FAILED, Flag.ABORTED):
        broken = says("half", ToolCall("1", "read"), flags=flag)
        assert told(cleaned(user("q"), broken, result("1"), user("u"))) == ["U", "U"]


def test_empty_messages_are_dropped() -> None:
    nothing = (
        user(" \n"),
        says(" ", Thinking("hm", "sig")),
        says(UnknownBlock("x", "{}")),
        branch_summary(" "),
        Entry(id="c", kind=Kind.COMPACTION),
        Entry(id="s", role=Role.SYSTEM, blocks=(Text("x"),)),
        Entry(id="n", role=Role.NONE, blocks=(Text("x"),)),
        Entry(id="l", kind=Kind.LABEL, name="x"),
        user("x", flags=Flag.EXCLUDED),
    )
    assert cleaned(*nothing) == []


def test_what_becomes_the_user_s() -> None:
    note = Entry(id="c", kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, blocks=(Text("n"), Image("image/png", "d")))
    summary = Entry(id="s", kind=Kind.COMPACTION, blocks=(Text("short"),))
    found = cleaned(summary, branch_summary("tried"), shell("ls", "a"), note)
    assert all(isinstance(message, UserMessage) for message in found)
    assert isinstance(found[0].blocks[0], Text)
    assert "<summary>\nshort\n</summary>" in found[0].blocks[0].text
    assert found[3].blocks == note.blocks


def test_a_pruned_result_is_a_line_that_names_the_tool() -> None:
    [_, _, pruned] = normalize(
        [(user("q"), Form.WHOLE), (calls("1"), Form.WHOLE), (result("1", "x" * 900, tool="read"), Form.PRUNED)]
    )
    assert pruned == CallResult("1", "read", (Text("[Output of read left out to save space]"),))


def test_beginning_and_end_of_a_shortened_entry_are_sent() -> None:
    half = CUT_TOKENS * 4 // 2
    long = Text("a" * half + "b" * 7 + "c" * half)
    image = Image("image/png", "0")
    whole = [(user("before"), Form.WHOLE), (says(long), Form.WHOLE)]
    [_, reply] = normalize(whole)
    assert reply.blocks == (long,)
    [first] = normalize([(replace(user(""), blocks=(long, image, Text("short"))), Form.CUT)])
    cut = "a" * half + "\n\n[7 characters left out to save space]\n\n" + "c" * half
    assert first.blocks == (Text(cut), image, Text("short"))


def test_an_empty_result_says_so_and_takes_the_call_s_name() -> None:
    [_, _, empty] = cleaned(user("q"), calls("1"), result("1", " "))
    assert empty == CallResult("1", "read", (Text("(no output)"),))


def test_an_image_of_the_assistant_is_a_note() -> None:
    image = Entry(id="a", role=Role.ASSISTANT, blocks=(Image("image/png", "d"),))
    assert cleaned(user("q"), image)[1] == Reply((Text("[image made by the assistant]"),))


def test_the_user_comes_first() -> None:
    assert cleaned(says("hello"))[0] == UserMessage((Text(OPENING),))


@given(chains())
def test_every_call_has_one_result_right_after_it(entries: list[Entry]) -> None:
    messages = cleaned(*entries)
    assert not messages or isinstance(messages[0], UserMessage)
    waiting: list[str] = []
    seen: set[str] = set()
    for message in messages:
        if isinstance(message, CallResult):
            assert message.call == waiting.pop(0)
            continue
        assert not waiting
        if isinstance(message, Reply):
            waiting = [block.id for block in message.blocks if isinstance(block, ToolCall)]
            assert not seen & set(waiting)
            seen |= set(waiting)
    assert not waiting


@given(chains())
def test_a_tree_with_messages_gives_a_request_with_messages(entries: list[Entry]) -> None:
    can_be = any(
        entry.kind is Kind.MESSAGE and entry.role is Role.USER and not entry.flags & Flag.EXCLUDED
        and any(isinstance(block, Text) and block.text.strip() for block in entry.blocks)
        for entry in entries
    )  # fmt: skip
    assert not can_be or cleaned(*entries)
