"""Session files made up: sound ones, and such as no tool writes."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tests.fakes import copilot_cli, gemini, opencode, vscode_chat
from tests.fakes.claude_code import Line, boundary, call, note, reply, result, summary, user
from tests.unit.formats.pi_files import header, lines, old_said, record, said


@st.composite
def pi_files(draw: st.DrawFn) -> bytes:
    version = draw(st.sampled_from([None, 2, 3, 3, 3]))
    records: list[Any] = [header(version)]
    for at in range(draw(st.integers(1, 12))):
        id, parent = f"n{at}", draw(st.sampled_from([None, f"n{at - 1}", f"n{at - 2}", f"n{at + 2}", f"n{at - 1}"]))
        kind = draw(st.integers(0, 9))
        if version is None:
            records.append(old_said(id, draw(st.sampled_from(["user", "assistant"]))))
        elif kind < 4:
            records.append(said(id, parent, id, draw(st.sampled_from(["user", "assistant"]))))
        elif kind == 4:
            records.append(record("label", id, parent, targetId=f"n{draw(st.integers(0, 12))}", label="L"))
        elif kind == 5:
            records.append(
                record("compaction", id, parent, summary="S", firstKeptEntryId=f"n{at - 2}", tokensBefore=9)
            )
        elif kind == 6:
            records.append(record("session_info", id, parent, name=f"Name {at}"))
        elif kind == 7:
            records.append(said(f"n{draw(st.integers(0, at))}", parent, id))
        elif kind == 8:
            records.append(draw(st.sampled_from([b"no JSON", old_said("x"), header()])))
        else:
            records.append(record("custom", id, parent, customType="c", data={"a": at}))
    for at, made in enumerate(records):
        if isinstance(made, dict):
            made["timestamp"] = f"2026-01-01T00:00:{at:02d}.000Z"
    return lines(*records)


@st.composite
def talks(draw: st.DrawFn) -> list[Line]:
    made: list[Line] = [user("n0", None, 0, isSidechain=draw(st.integers(0, 9)) == 0)]
    parts = draw(st.integers(1, 3))  # of a message
    for at in range(1, draw(st.integers(2, 16))):
        back = draw(st.sampled_from([1, 1, 1, 1, 2, 3, at, -2]))
        id, parent, minute = f"n{at}", f"n{at - back}", float(at - draw(st.integers(0, 1)))
        kind = draw(st.integers(0, 12))
        if kind < 3:
            made.append(user(id, parent, minute, draw(st.sampled_from(["", "x"]))))
        elif kind < 6:
            made.append(reply(id, parent, minute, f"m{at // parts}", output=draw(st.integers(1, 9))))
        elif kind < 8:
            made.append(call(id, parent, minute, f"m{at // parts}", f"t{at}"))
        elif kind < 10:
            made.append(result(id, parent, minute, f"t{at - back}"))
        elif kind == 10:
            made.append(note(id, draw(st.sampled_from([parent, None])), minute))
        else:
            made.append(draw(st.sampled_from(_odd(made, id, parent, minute))))
    return made


def _odd(made: list[Line], id: str, parent: str, minute: float) -> list[Line]:
    return [
        boundary(id, parent, minute), summary(id, parent, minute), made[-1], {**made[-1], "timestamp": None},
        {"type": "custom-title", "customTitle": f"Title {id}"}, {"type": "last-prompt", "leafUuid": parent},
        {"type": "summary", "summary": "Old", "leafUuid": parent}, user(id, None, minute), user(id, "gone", minute),
        reply(id, parent, minute, isSidechain=True), user(id, parent, minute, isSidechain=True, agentId="a1"),
        user(parent, id, minute, "an id again"), {"type": "mode", "mode": "plan"},
    ]  # fmt: skip


@st.composite
def gemini_logs(draw: st.DrawFn) -> bytes:
    records: list[Any] = [gemini.head(), gemini.checkpoint(gemini.said("c", gemini.CONTEXT))]
    for at in range(1, draw(st.integers(2, 14))):
        id, other, kind = f"n{at}", f"n{draw(st.integers(1, at))}", draw(st.integers(0, 11))
        if kind < 4:
            records.append(gemini.said(id, id, at))
        elif kind < 7:
            records += [gemini.reply(id, "", at), gemini.reply(id, id, at, toolCalls=[gemini.call(f"t{at}")])]
        elif kind == 7:
            records.append(gemini.answered(id, gemini.response(f"t{draw(st.integers(1, at))}", id), at=at))
        elif kind == 8:
            records.append(gemini.rewind(other))
        elif kind == 9:
            records.append(gemini.checkpoint(gemini.said(id, "S", at), gemini.said(f"{id}c", other, at)))
        elif kind == 10:
            records.append({"$set": {"summary": id}})
        else:
            records.append(draw(st.sampled_from([b"no JSON", gemini.head(), gemini.reply(other, "again", at)])))
    return gemini.lines(*records)


@st.composite
def vscode_logs(draw: st.DrawFn) -> bytes:
    """Logs of VS Code's chat. The last line ends every reply, for one that goes on is held back."""
    chat = vscode_chat
    records: list[Any] = [chat.whole(chat.session(chat.answered("n0", "n0", "N0")))]
    length = 1
    for at in range(1, draw(st.integers(2, 14))):
        id, place, kind = f"n{at}", draw(st.integers(0, length)), draw(st.integers(0, 10))
        reply = ("requests", place, "response")
        if kind < 3:
            one = chat.answered(id, id, id, at) if draw(st.booleans()) else chat.request(id, id, at)
            records.append(chat.push([one], "requests"))
            length += 1
        elif kind < 5:
            records.append(chat.push([chat.markdown(f"{id} ")], *reply))
        elif kind == 5:
            records.append(chat.put(chat.result(chat.turn(f"Round {id}", f"t{at}")), "requests", place, "result"))
        elif kind == 6:
            records.append(chat.put(chat.over(at, draw(st.integers(0, 4))), "requests", place, "modelState"))
        elif kind == 7:
            records.append(
                chat.push(draw(st.sampled_from([None, [chat.request(id, id, at)]])), "requests", cut=place)
            )
            length = place + 1
        elif kind == 8:
            records.append(chat.push([chat.markdown(f"{id} anew ")], *reply, cut=0))
        else:
            odd = [chat.put(id, "customTitle"), chat.put(id, "requests", place, "message", "text"), b"no JSON"]
            records.append(draw(st.sampled_from(odd)))
    return chat.lines(*records, chat.whole(chat.session(chat.answered("end", "end", "End"))))


@st.composite
def copilot_logs(draw: st.DrawFn) -> bytes:
    records: list[Any] = [copilot_cli.start()]
    for at in range(1, draw(st.integers(2, 14))):
        id, other = f"n{at}", f"n{draw(st.integers(1, at))}"
        agent = draw(st.sampled_from(["", "", "", "t1", f"t{at}"]))
        kind = draw(st.integers(0, 9))
        if kind < 3:
            records.append(copilot_cli.event("user.message", id, at, agent, content=id))
        elif kind < 6:
            records += [
                copilot_cli.reply(id, id, at, [copilot_cli.call(f"t{at}")]),
                copilot_cli.began(f"b{at}", f"t{at}"),
            ]
        elif kind == 6:
            records.append(copilot_cli.done(id, f"t{draw(st.integers(1, at))}", id, at))
        elif kind == 7:
            records.append(copilot_cli.event("system.message", id, at, agent, content=draw(st.sampled_from("AB"))))
        elif kind == 8:
            records.append(copilot_cli.event("session.compaction_complete", id, at, summaryContent=id))
        else:
            odd = [
                b"no JSON",
                copilot_cli.start(),
                copilot_cli.said(other, "again", at),
                copilot_cli.event("x.y", id),
            ]
            records.append(draw(st.sampled_from(odd)))
    return copilot_cli.lines(*records)


OpencodeStep = tuple[str, int]


@st.composite
def opencode_steps(draw: st.DrawFn) -> list[OpencodeStep]:
    """What a user of opencode does, one after the other: see `play`."""
    kinds = st.sampled_from(["turn"] * 4 + ["write", "queue", "tool", "fork", "revert", "again", "compact", "task"])
    return draw(st.lists(st.tuples(kinds, st.integers(0, 5)), min_size=2, max_size=14))


def play(store: opencode.Store, number: int, step: OpencodeStep) -> None:
    """Do the step `number` in one of the sessions; it takes ten seconds. Open replies end first."""
    kind, which = step
    listed = [id for (id,) in store.connection.execute("SELECT id FROM session ORDER BY time_created")]
    session, at = (listed[which % len(listed)] if listed else "s0"), number * 10
    if not listed:
        store.session(session, at, title=session)
    _finish(store, number)
    messages = [
        id
        for (id,) in store.connection.execute(
            "SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id", (session,)
        )
    ]
    name = f"m{number:02}"
    store.change("session", session, time_updated=opencode.ms(at))
    if kind == "again":  # the messages that a revert hides are deleted
        ((told,),) = store.connection.execute("SELECT revert FROM session WHERE id = ?", (session,))
        first = json.loads(told)["messageID"] if told else None
        store.remove(session, *messages[messages.index(first) :] if first in messages else [])
    elif kind == "revert":
        prompts = [id for id in messages if id.endswith("u")]
        if prompts:
            store.revert(session, prompts[which % len(prompts)])
        return
    elif kind == "fork":
        store.fork(session, f"f{number:02}", messages[which % len(messages)] if messages else "", at)
        return
    elif kind == "task":
        store.session(f"t{number:02}", at, parent_id=session)
        session = f"t{number:02}"
    if kind == "compact":
        store.compaction(session, name, f"Summary {number}", at=at, tail=messages[0] if which and messages else None)
        return
    store.prompt(session, f"{name}u", f"Question {number}", at=at)
    if kind == "write":
        store.reply(session, f"{name}a", f"Ans {number}", at=at + 1, done=False)
    elif kind == "tool":
        store.reply(session, f"{name}a", opencode.tool(f"c{number}", "x", at=at + 1), at=at + 1, finish="tool-calls")
    elif kind != "queue":
        store.reply(session, f"{name}a", f"Answer {number}", at=at + 1)


def _finish(store: opencode.Store, number: int) -> None:
    """Finish the replies that are being written, and answer the prompts that wait."""
    query = """
        SELECT id, session_id, data ->> 'role', time_created FROM message AS m WHERE NOT EXISTS (
            SELECT 1 FROM message AS later WHERE later.session_id = m.session_id
            AND (later.time_created, later.id) > (m.time_created, m.id))"""
    for id, session, role, _ in store.connection.execute(query).fetchall():
        if role == "user":
            store.reply(session, f"{id[:-1]}b", "Late.", at=number * 10 - 1)
    query = """SELECT id, session_id, time_created FROM message
        WHERE data ->> 'role' = 'assistant' AND data ->> '$.time.completed' IS NULL"""
    for id, session, created in store.connection.execute(query).fetchall():
        store.reply(session, id, f"Whole {id}", at=(created - opencode.START) // 1000)
