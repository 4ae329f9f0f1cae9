"""Cards of every kind: what they say, what can be clicked, and that they survive anything."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, Qt
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from stemmata.domain.entries.blocks import Image, Text, Thinking, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.gui.cards.card import Card
from stemmata.gui.cards.content import Action, CardMarks, Request
from stemmata.gui.cards.parts import long_prose
from stemmata.gui.cards.style import CardStyle
from stemmata.gui.cards.text_piece import CodePiece, TextPiece
from tests import strategies
from tests.fakes.cards import actions, click, hover, pixel, words
from tests.fakes.conversation import assistant, call, compaction, result, user

MakeCard = Callable[..., Card]
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
HOUR = 3_600 * 10**9


# -- what is said ----------------------------------------------------------------------------------------------------


def test_what_the_person_said(make_card: MakeCard) -> None:
    card = make_card(user("Hello **there**", time=HOUR * 500_000))
    assert words(card).startswith("You ")
    assert "Hello there" in words(card)
    assert card.accessibleName() == "You"
    assert "Hello" in card.accessibleDescription()


def test_what_the_model_answered(make_card: MakeCard) -> None:
    usage = Usage(input=12, output=1300, cache_read=19_600, cache_write=400)
    card = make_card(assistant(Thinking("why"), "Because.", usage=usage))
    assert words(card).splitlines()[:2] == ["sonnet 412 in · 1.3k out · 98% cached", "Thought"]
    assert "why" not in words(card)
    assert "Because." in words(card)


def test_only_all_of_it_is_a_hundred_percent(make_card: MakeCard) -> None:
    nearly = assistant("yes", usage=Usage(input=24, output=72, cache_read=90_000))
    assert "99% cached" in words(make_card(nearly))
    assert "100% cached" in words(make_card(assistant("yes", usage=Usage(output=72, cache_read=90_000))))


def test_a_card_that_goes_on_has_no_heading(make_card: MakeCard) -> None:
    assert "sonnet" not in words(make_card(assistant("more"), heading=False))


def test_a_thought_unfolds(make_card: MakeCard) -> None:
    entry = assistant(Thinking("because *so*"), Thinking("", "sig", redacted=True))
    assert "because so" in words(make_card(entry, unfolded=frozenset({"thinking0"})))
    assert "hidden by the provider" in words(make_card(entry))


def test_a_call_is_one_line(make_card: MakeCard) -> None:
    card = make_card(assistant(call("a")), result("a", "1\n2\n3"))
    assert "read a.py 3 lines" in words(card)


def test_a_call_unfolds_to_its_arguments_and_result(make_card: MakeCard) -> None:
    entry = assistant(call("a", arguments='{"path":"a.py","limit":5}'))
    card = make_card(entry, result("a", "content here"), unfolded=frozenset({"call0"}))
    assert "a.py:1–5" in words(card)
    assert "content here" in words(card)


def test_an_edit_unfolds_to_its_change(make_card: MakeCard) -> None:
    entry = assistant(call("a", "edit", '{"path":"a.py","oldText":"one","newText":"two"}'))
    card = make_card(entry, result("a", "Replaced.", "edit"), unfolded=frozenset({"call0"}))
    assert "-one\n+two" in words(card)
    assert "Replaced." not in words(card)
    assert "+1 −1" in words(card)


def test_a_result_that_answers_no_call_is_shown(make_card: MakeCard) -> None:
    card = make_card(assistant(call("a")), result("b", "x", "grep"))
    assert "no result yet" in words(card)
    assert "grep" in words(card)


def test_very_many_calls(make_card: MakeCard) -> None:
    entry = assistant(*(call(f"c{n}") for n in range(100)))
    assert words(make_card(entry)).count("read") == 24
    assert "Show 76 more calls" in words(make_card(entry))
    assert words(make_card(entry, whole=True)).count("read") == 100


def test_a_reply_that_broke_says_so(make_card: MakeCard) -> None:
    assert "Stopped before it was complete" in words(make_card(assistant("Hal", flags=Flag.ABORTED)))
    failed = assistant(flags=Flag.FAILED, details='{"errorMessage":"overloaded"}')
    assert "Ended in an error: overloaded" in words(make_card(failed))
    assert "Ended in an error" in words(make_card(assistant(flags=Flag.FAILED)))


def test_a_command_of_the_person(make_card: MakeCard) -> None:
    entry = Entry(
        id="", role=Role.BASH_EXECUTION, name="make", blocks=(Text("all built"),), details='{"exitCode":2}',
        flags=Flag.FAILED | Flag.EXCLUDED,
    )  # fmt: skip
    assert "$ make not sent exit 2" in words(make_card(entry))
    assert "all built" in words(make_card(entry, unfolded=frozenset({"output"})))
    assert "cancelled" in words(make_card(Entry(id="", role=Role.BASH_EXECUTION, name="x", flags=Flag.ABORTED)))
    coloured = Entry(
        id="", role=Role.BASH_EXECUTION, name="make", blocks=(Text("\x1b[1mall\x1b[0m built\n 5 %\r100 %"),)
    )
    assert "all built\n100 %" in words(make_card(coloured, unfolded={"output"}))


def test_a_compaction(make_card: MakeCard) -> None:
    details = '{"tokensAfter":9100,"summarised":412,"kept":14,"model":"haiku","readFiles":["a","b"],"openTasks":1}'
    card = make_card(compaction("**Goal** port it", usage=Usage(total=157_200), details=details))
    assert "Compacted 157.2k → 9.1k haiku · 14 entries kept · −94% Edit Undo" in words(card)
    assert "Goal port it" in words(card)
    assert "Read 2 files · show the 412 summarised entries" in words(card)
    assert "Compacted 157.2k Edit" in words(make_card(compaction("s", usage=Usage(total=157_200))))
    assert "Compacted Edit" in words(make_card(compaction("s")))
    card = make_card(compaction("s\n\n<read-files>\na.py\n</read-files>"))
    assert "s\nRead 1 file · show the summarised entries" in words(card)


def test_a_long_summary_is_folded(make_card: MakeCard) -> None:
    entry = compaction("first part\n\n" * 60 + "the end")
    assert "the end" not in words(make_card(entry))
    assert "the end" in words(make_card(entry, unfolded=frozenset({"summary"})))


def test_other_kinds(make_card: MakeCard) -> None:
    def entry(kind: Kind, **facts: Any) -> Entry:
        return Entry(id="", kind=kind, **facts)

    assert "Model: openai/gpt" in words(make_card(entry(Kind.MODEL_CHANGE, provider="openai", model="gpt")))
    assert "Thinking: high" in words(make_card(entry(Kind.THINKING_LEVEL_CHANGE, name="high")))
    assert "pruned from the context" in words(make_card(entry(Kind.TOOL_PRUNE)))
    summary = make_card(entry(Kind.BRANCH_SUMMARY, blocks=(Text("tried it"),)))
    assert "abandoned branch" in words(summary)
    assert "tried it" in words(summary)
    listed = "tried it\n\n<modified-files>\na.py\nb.py\n</modified-files>"
    summary = make_card(entry(Kind.BRANCH_SUMMARY, blocks=(Text(listed),)))
    assert "tried it\nModified 2 files" in words(summary)
    assert "a.py" not in words(summary)
    note = make_card(entry(Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name="memory", blocks=(Text("note"),)))
    assert "memory\nnote" in words(note)
    queued = entry(Kind.MESSAGE, role=Role.USER, name="attachment:queued_command", blocks=(Text("and this"),))
    assert words(make_card(queued)).startswith("Queued message")
    assert make_card(queued).accessibleName() == "Queued message"
    attached = entry(Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name="attachment:file", blocks=(Text("1\ta"),))
    assert make_card(attached).accessibleName() == "Attached file"
    unknown = entry(Kind.UNKNOWN, name="odd", details='{"a":[1]}')
    assert "Unknown entry: odd" in words(make_card(unknown))
    assert '"a": [' in words(make_card(unknown, unfolded=frozenset({"record"})))
    alone = make_card(result("a", "text", "grep"))
    assert "Tool result" in words(alone)


def test_a_long_system_message_is_folded(make_card: MakeCard) -> None:
    entry = Entry(id="", role=Role.SYSTEM, blocks=(Text("rules " * 2000 + "the end"),))
    assert "the end" not in words(make_card(entry))
    assert "the end" in words(make_card(entry, unfolded=frozenset({"note"})))


def test_blocks_of_unknown_kinds(make_card: MakeCard) -> None:
    entry = Entry(id="", role=Role.USER, blocks=(UnknownBlock("server_tool", '{"x":1}'), UnknownBlock("bad", "{")))
    assert "server_tool" in words(make_card(entry))
    assert '"x": 1' in words(make_card(entry, unfolded=frozenset({"opaque0", "opaque1"})))


def test_long_texts_show_their_first_part(make_card: MakeCard) -> None:
    entry = user("some words\n" * 20_000 + "the end")
    card = make_card(entry)
    assert "the end" not in words(card)
    assert "Show all (220 kB)" in words(card)
    assert Request.SHOW_ALL in actions(card)
    whole = make_card(user("x y\n\n" * 12_000 + "the end"), whole=True)
    assert "the end" in words(whole)


def test_only_the_part_in_sight_is_rendered(make_card: MakeCard, style: CardStyle) -> None:
    card = make_card(user("A paragraph of some words.\n\n" * 1000))
    card.lay_out(600, 0, 10**6, 0, inf)  # however long that takes
    full = sum(isinstance(part, TextPiece) for part in card.parts)
    assert card.content is not None
    card.show_content(style, card.content, CardMarks())
    height, keep = card.lay_out(600, 4000, 4500, 4000)
    assert sum(isinstance(part, TextPiece) for part in card.parts) < full / 4
    assert height > 5000
    assert 0 < keep < height


def test_at_another_width_only_what_is_in_sight_is_laid_out(make_card: MakeCard, style: CardStyle) -> None:
    card = make_card(user("A paragraph of some words.\n\n" * 1000))
    card.lay_out(600, 0, 10**6, 0, inf)
    documents = [part.document for part in card.parts if isinstance(part, TextPiece)]
    assert len(documents) > 8
    card.lay_out(500, 0, 400)
    assert 0 < sum(document.textWidth() < 500 for document in documents) < len(documents) / 4
    shown = [part.document for part in card.parts if isinstance(part, TextPiece)]
    assert all(document in documents for document in shown), "nothing is rendered again"
    card.lay_out(500, 0, 10**6, 0, inf)
    assert [part.document for part in card.parts if isinstance(part, TextPiece)] == documents


def test_what_there_is_no_time_for_is_laid_out_later(make_card: MakeCard) -> None:
    card = make_card(user("A paragraph of some words.\n\n" * 1000))
    card.lay_out(500, 0, 400, 0, 0.0)
    was_late = card.is_late
    assert was_late
    assert not any(isinstance(part, TextPiece) for part in card.parts)
    card.lay_out(500, 0, 400, 0, inf)
    assert not card.is_late
    assert any(isinstance(part, TextPiece) for part in card.parts)


def test_a_document_is_not_laid_out_twice_at_one_width(style: CardStyle) -> None:
    document = style.plain("some words " * 50)
    height, laid_out = document.height(200), []
    document.documentLayout().update.connect(lambda: laid_out.append(1))
    assert document.height(200) == height
    assert not laid_out
    assert document.height(100) > height
    assert laid_out


def test_very_many_parts_are_parts_of_parts(style: CardStyle, make_card: MakeCard) -> None:
    text = "".join(f"Paragraph {at} of some words.\n\n" for at in range(2_000))
    card = make_card(user(text), whole=True)
    assert card.content is not None
    assert len(long_prose(style, card.content, text * 5)) < 10
    height, _ = card.lay_out(600, 0, 10**7, 0, inf)
    assert height > 50_000
    assert "Paragraph 0 of" in words(card)
    assert "Paragraph 1999 of" in words(card)
    below = [part.rect.y() for part in card.parts if isinstance(part, TextPiece)]
    assert below == sorted(below)


# -- what can be clicked ---------------------------------------------------------------------------------------------


def test_a_click_elsewhere_activates(qtbot: QtBot, make_card: MakeCard) -> None:
    card = make_card(user("Hello"))
    with qtbot.waitSignal(card.acted, check_params_cb=lambda _key, action: action.request is Request.ACTIVATE):
        QTest.mouseClick(card, LEFT, NONE, QPoint(300, card.height() - 4))


def test_a_tool_line_unfolds(qtbot: QtBot, make_card: MakeCard) -> None:
    card = make_card(assistant(call("a")), result("a"))
    assert click(qtbot, card, Request.FOLD) == Action(Request.FOLD, "call0")


def test_a_compaction_can_be_edited_and_undone(qtbot: QtBot, make_card: MakeCard) -> None:
    card = make_card(compaction("s"))
    wanted = {Request.EDIT_COMPACTION, Request.UNDO_COMPACTION, Request.SHOW_SUMMARISED}
    assert set(actions(card)) == wanted
    for request in wanted:
        assert click(qtbot, card, request).request is request


def test_links_say_where_they_lead(make_card: MakeCard) -> None:
    card = make_card(user("[a very long name of a link](https://example.org/x) and [another](javascript:alert(1))"))
    found = actions(card)
    assert set(found) == {Request.LINK}
    point, action = found[Request.LINK]
    assert action.text == "https://example.org/x"
    assert card.tip_at(point) == "https://example.org/x"


def test_code_is_copied(qtbot: QtBot, make_card: MakeCard) -> None:
    card = make_card(assistant("```python\nprint(1)\n```"))
    code = next(part for part in card.parts if isinstance(part, CodePiece))
    corner = code.rect.topRight() + QPoint(-12, 12)
    QTest.mouseMove(card, corner)
    card.grab()
    assert card.action_at(corner) == Action(Request.COPY_TEXT, "print(1)")
    assert card.tip_at(corner) == "Copy this code"


# -- selecting -------------------------------------------------------------------------------------------------------


def test_text_is_selected_over_several_parts(qtbot: QtBot, make_card: MakeCard) -> None:
    card = make_card(assistant("First words.\n\n```\nsome code\n```\n\nLast words."))
    parts = [part for part in card.parts if isinstance(part, TextPiece)]
    start, end = parts[0].rect.topLeft(), parts[-1].rect.bottomRight()
    QTest.mousePress(card, LEFT, NONE, start)
    QTest.mouseMove(card, end)
    with qtbot.assertNotEmitted(card.acted):
        QTest.mouseRelease(card, LEFT, NONE, end)
    assert card.selection.text() == "First words.\nsome code\nLast words."
    card.grab()
    card.clear_selection()
    assert card.selection.is_empty
    assert card.selection.text() == ""
    card.selection.select_all()
    assert card.selection.text() == "First words.\nsome code\nLast words."


def test_a_card_without_text_selects_nothing(make_card: MakeCard) -> None:
    card = make_card(Entry(id="", kind=Kind.TOOL_PRUNE))
    card.selection.start(QPoint(5, 5))
    card.selection.extend(QPoint(50, 50))
    card.selection.select_all()
    assert card.selection.is_empty


# -- images ----------------------------------------------------------------------------------------------------------


def png(width: int, height: int) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())


def test_an_image_is_shown_no_larger_than_it_may(make_card: MakeCard, blobs: dict[str, bytes]) -> None:
    blobs["ab"] = png(2000, 1000)
    card = make_card(Entry(id="", role=Role.USER, blocks=(Image("image/png", "ab"),)))
    assert pixel(card, 100, 100).red() > 200
    assert card.height() < 420
    assert "Image: image/png" in words(card)


@pytest.mark.parametrize(
    "content", [None, b"", b"no image", b"<svg xmlns='http://www.w3.org/2000/svg'/>", png(5, 5)[:40]]
)
def test_what_is_no_image_is_named(make_card: MakeCard, blobs: dict[str, bytes], content: bytes | None) -> None:
    if content is not None:
        blobs["ab"] = content
    card = make_card(Entry(id="", role=Role.USER, blocks=(Image("image/png", "ab", name="shot.png"),)))
    assert "Image: shot.png" in words(card)
    assert card.height() < 500


# -- anything --------------------------------------------------------------------------------------------------------


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(strategies.chains(min_size=1, max_size=4))
def test_any_entry_can_be_shown(make_card: MakeCard, entries: list[Entry]) -> None:
    everything = frozenset(f"{part}{at}" for part in ("thinking", "call", "opaque") for at in range(5))
    unfolded = everything | {"summary", "record", "note", "output", "answer"}
    for folds in (frozenset[str](), unfolded):
        card = make_card(entries[0], *entries[1:], unfolded=folds)
        hover(card)
        assert card.height() > 0
        card.deleteLater()


def test_parts_that_show_nothing_are_not_counted_again_at_each_width(make_card: MakeCard) -> None:
    card = make_card(assistant("begin" + " " * 40_000 + "end"), whole=True)
    counts = []
    for width in (700, 800, 700, 800):
        for _ in range(40):  # a part of no height brings the next into sight
            card.lay_out(width, 0, 1000)
        counts.append(len(card._realised))
    assert max(counts) <= 2
