"""OpenClaw, once Clawdbot and Moltbot: pi sessions in folders of its own, with an index of conversations."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.entries.session_facts import Begin, Checkpoint, End, ReadEvent, SessionInfo
from stemmata.domain.text.json_text import compact
from stemmata.formats.openclaw.index import NAME as INDEX
from stemmata.formats.openclaw.index import Conversations
from stemmata.formats.pi.header import Header, header_in, header_of
from stemmata.formats.pi.reader import expanded
from stemmata.formats.pi.reading import PiReading
from stemmata.formats.shared.format import Folder, OneFile
from stemmata.formats.shared.json_lines import first_records

_HOMES = (".openclaw", ".clawdbot", ".moltbot")
_FOLDERS = frozenset({*_HOMES, *(name[1:] for name in _HOMES)})
_ASIDE = re.compile(r"(?P<live>.+\.jsonl)\.(?P<when>(?:deleted|reset)\..+)", re.DOTALL)
_TOPIC = re.compile(r"-topic-[^/\\]*?(?=\.jsonl)")
_STAMP = re.compile(r"\[(?:\w{3} )?\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?[^\]\n]{0,20}\] ")
_TITLE_LENGTH = 120


class OpenClaw(OneFile):
    name = "openclaw"
    title = "OpenClaw"

    def __init__(self) -> None:
        self._conversations = Conversations()

    def sniff(self, head: bytes, path: Path) -> bool:
        """A pi session by content, OpenClaw's by the place it lies in."""
        if header_in(enumerate(first_records(head), 1)) is None:
            return False
        return not _FOLDERS.isdisjoint(path.absolute().parts) or os.path.isfile(path.parent / INDEX)

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[Folder]:
        named = [environment.get(name, "") for name in ("OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR")]
        states = [expanded(name, home) for name in named if name] + [home / name for name in _HOMES]
        found = [path for state in dict.fromkeys(states) for path in sorted(state.glob("agents/*/sessions"))]
        return [Folder(path, deep=False) for path in found]

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        header = header_of(path)
        yield from _titled(PiReading(path, header, self._info(path, header), since).events())

    def _info(self, path: Path, header: Header) -> SessionInfo:
        info = header.info(self.name, path)
        conversation = self._conversations.of(path, info.source_id)
        extras = {key: header.fields[key] for key in header.fields.keys() - {"type", "id", "timestamp", "cwd"}}
        if conversation.facts:
            extras["conversation"] = conversation.facts
        return replace(
            info,
            source_id=_source_id(path, info.source_id),
            title=conversation.title,
            parent_source_id=info.parent_source_id or conversation.parent,
            details=compact(extras) if extras else "",
        )


def _source_id(path: Path, session: str) -> str:
    """The header's id; a topic's file shares it with others, and so may one put aside while its successor lives."""
    topic = _TOPIC.search(path.name)
    if topic is not None and topic[0] not in session:
        session += topic[0]
    aside = _ASIDE.fullmatch(path.name)
    if aside is not None and os.path.exists(path.with_name(aside["live"])):
        return f"{session}.{aside['when']}"
    return session


def _titled(events: Iterator[ReadEvent]) -> Iterator[ReadEvent]:
    """Titles a session by its first prompt when that begins with the time stamp the gateway writes before it."""
    waiting, title = False, ""
    for event in events:
        if isinstance(event, Begin):
            waiting = not event.offset and not event.info.title
        elif waiting and isinstance(event, Entry) and event.role is Role.USER:
            waiting = False
            prompt = plain_text(event.blocks)
            stamp = _STAMP.match(prompt)
            if stamp is not None:
                title = prompt[stamp.end() :].strip().split("\n", 1)[0][:_TITLE_LENGTH]
        elif isinstance(event, End) and title and not event.title:
            event = replace(event, title=title)
        yield event
