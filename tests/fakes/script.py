"""What a fake server is told to do: replies, refusals, and streams that break."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from stemmata.domain.settings.settings import ChatSettings

How = Literal["fin", "rst", "stall", "error", "eof", "garbage"]


Event: TypeAlias = tuple[str, Any]  # name and data; data that is a text is sent as it is, bytes without a frame
Twist: TypeAlias = Callable[[Event], Sequence[Event]]  # what is sent in place of an event


@dataclass(frozen=True)
class Say:
    text: str


@dataclass(frozen=True)
class Think:
    text: str


@dataclass(frozen=True)
class Call:
    """A call of a tool. The server makes up an id where none is given; `raw` is sent in place of the arguments."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""
    raw: str = ""


Said: TypeAlias = Say | Think | Call


@dataclass(frozen=True)
class Break:
    """How a stream breaks once `after` deltas have been sent; -1 = before a byte of the answer.

    fin and rst cut the connection, a stall sends nothing more, an error is told inside the stream, eof ends it in
    good order without a reason, garbage is no JSON.
    """

    how: How
    after: int = 3
    error: str = "overloaded_error"
    code: str = ""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A streamed reply in deltas of `piece` characters, `delay` seconds apart, the first after `wait` seconds.

    `stop` is the API's own word; by itself it follows from the blocks. `usage` False: the server tells no counts.
    `twist` makes something else of each event, `kind` is the content type.
    """

    blocks: tuple[Said, ...] = (Say("Hello. How can I help?"),)
    stop: str = ""
    piece: int = 8
    delay: float = 0.0
    wait: float = 0.0
    breaks: Break | None = None
    usage: bool = True
    twist: Twist | None = None
    kind: str = "text/event-stream; charset=utf-8"


@dataclass(frozen=True)
class Refuse:
    """An answer with an error status. `body` replaces the JSON that the API would send; `code` names the cause."""

    status: int
    message: str = "Scripted refusal."
    type: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    code: str = ""


Step: TypeAlias = Reply | Refuse


def flood(seconds: float, rate: float = 200) -> Reply:
    """At most `rate` tokens a second, a token being four characters, in lines as of prose.

    A long reply is slower, since it would end before its time at the limit of tokens that the program asks for.
    """
    rate = min(rate, ChatSettings().max_tokens / 2 / seconds)
    line = "The quick brown fox jumps over the lazy dog by the river, and then some.\n\n"
    size = int(seconds * rate * 4)
    return Reply(blocks=(Say((line * (size // len(line) + 1))[:size]),), piece=4, delay=1 / rate)
