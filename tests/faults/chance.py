"""Replies and faults put together by chance: whatever a server does, a run ends, is told, and the session goes on."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from random import Random

from stemmata.domain.chat.run import Phase
from stemmata.domain.entries.entry import Role
from stemmata.domain.settings.settings import ChatSettings
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import MODEL, ChatApp, chat_app
from tests.fakes.model_server import ModelServer
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.script import Break, Call, Event, Refuse, Reply, Said, Say, Step, Think, Twist
from tests.fakes.twists import BLOCK_BEGINS, DELTAS, Swapped, before, figures, instead, twice
from tests.faults.fault_cases import APIS, HEADS, REFUSALS

STATUSES = (200, 307, 400, 401, 402, 403, 404, 407, 408, 409, 413, 418, 422, 429, 500, 502, 503, 504, 529)
BODIES = (
    None,
    b"",
    b"{",
    b"[]",
    b"null",
    b'{"error": "no"}',
    b'{"error": {"code": 429, "message": ["a"]}}',
    b"\xff\xfe",
)
NUMBERS = (10**30, -1, 2**63, 0.5, math.nan, math.inf, "7", True, None, [1], {"a": 1})
STEPS = 4
STALL = 0.05


def played(seed: int, folder: Path) -> None:
    """Play one session with some faults. Raises AssertionError for a violated rule, naming the step."""
    random = Random(seed)
    api = random.choice(APIS)
    made = AnthropicServer if api == "anthropic" else OpenAIServer
    server: ModelServer = made(checks_signatures=False)  # of texts that never came
    settings = ChatSettings(longest_wait=0, cache_ttl="off", tool_rounds=3, retries=1)
    url, model = (server.url, MODEL) if api == "anthropic" else (f"{server.url}/v1", "gpt-4o")
    with server, chat_app(folder, url, chat=settings, stall=STALL, model=model, api=api) as chat:
        session = chat.session()
        for number in range(STEPS):
            step = _step(random, api)
            server.script(step)
            chat.say(session, f"Question {number}?")
            _check(chat, session, f"seed {seed}, {api}, step {number}: {step}")
            server._steps.clear()
        server.script(Reply(blocks=(Say("Here I am."),)))
        chat.say(session, "Are you there?")
        assert chat.told(session)[-1] == "assistant: Here I am.", f"seed {seed}: {server.requests[-1].raw!r}"
        assert chat.archive.read(lambda reader: reader.check()).result() == []


def _check(chat: ChatApp, session: int, where: str) -> None:
    state = chat.runs.state(session)
    assert state.phase in (Phase.IDLE, Phase.FAILED, Phase.INTERRUPTED), where
    assert state.phase is Phase.IDLE or state.problem, where
    assert "A bug in Stemmata" not in state.problem, f"{where}: {state.problem}"
    assert "\x1b" not in state.problem, where
    assert any(row.role is Role.USER for row, _ in chat.path(session)), where
    if state.phase is Phase.INTERRUPTED:
        _, body = next(pair for pair in reversed(chat.path(session)) if pair[0].role is Role.ASSISTANT)
        assert body.blocks, where
    assert chat.runs.unsaved(session) == (), where


def _step(random: Random, api: str) -> Step:
    if random.random() < 0.25:
        body = random.choice(BODIES)
        kind = random.choice(("application/json", "text/html", "text/plain", "text/event-stream"))
        message = random.choice(("No.", "\x1b[2J\u202eevil", "maximum context length is 9 tokens", "x" * 5000, ""))
        wait = random.choice(("0", "-1", "soon", "1e999", "Thu, 01 Jan 1970 00:00:00 GMT"))
        headers = {"retry-after": wait, "content-type": kind, "location": "http://elsewhere.invalid/"}
        return Refuse(random.choice(STATUSES), message, headers=headers, body=body)
    blocks: list[Said] = [_block(random) for _ in range(random.randrange(4))]
    breaks = None
    if random.random() < 0.5:
        breaks = Break(random.choice(("fin", "rst", "stall", "error", "eof", "garbage")), random.randrange(-1, 6))
    twists = [make() for make in random.sample(_twists(random), random.randrange(3))]
    stop = random.choice(("", "", "", REFUSALS[api], "pause_turn", "odd"))
    return Reply(
        blocks=tuple(blocks), stop=stop, piece=random.choice((1, 8, 500)), breaks=breaks,
        usage=random.random() < 0.8, twist=_chained(twists) if twists else None,
    )  # fmt: skip


def _block(random: Random) -> Said:
    match random.randrange(4):
        case 0:
            return Think(random.choice(("Hm.", "Let me see. " * 20)))
        case 1:
            return Call("look_up", {"what": "it"}, raw=random.choice(("", '{"a', "[]", "7", '{"a": 1e999}')))
    return Say(random.choice(("Yes.", " ", "word " * 60, "日本語 \u202e \x1b[31m \x00", "\ufeff")))


def _twists(random: Random) -> list[Callable[[], Twist]]:
    value = random.choice(NUMBERS)
    odd: Event = ("odd", {"type": "odd", "error": None, "delta": 7, "index": {"a": []}, "choices": 3})
    junk = random.choice((b"data: \xff\xfe{}\n\n", b": hello\n\n", b"data\n\n", b"id: 7\nretry: x\n\n", b"\x00\n\n"))
    return [
        lambda: figures(value),
        lambda: twice(BLOCK_BEGINS),
        lambda: twice(DELTAS),
        lambda: twice(HEADS),
        lambda: Swapped(BLOCK_BEGINS, DELTAS),
        lambda: Swapped(HEADS, (*BLOCK_BEGINS, *DELTAS)),
        lambda: instead(random.choice((HEADS, BLOCK_BEGINS, DELTAS, ("content_block_stop",)))),
        lambda: before(DELTAS, odd, ("", "[]"), ("", "null")),
        lambda: before(DELTAS, ("", junk)),
    ]


def _chained(twists: list[Twist]) -> Twist:
    def sent(event: Event) -> list[Event]:
        events = [event]
        for twist in twists:
            events = [made for each in events for made in twist(each)]
        return events

    return sent
