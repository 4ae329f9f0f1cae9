"""The title of a session: the one that a person or a tool gave, or the first line of its first prompt."""

from __future__ import annotations

import re

from stemmata.domain.sessions.details import is_named_by_a_person
from stemmata.domain.sessions.session import Session
from stemmata.domain.text.one_line import TITLE, cut_title, without_fork

_MADE_BY_A_PROGRAM = re.compile(r"[0-9a-f-]{16,}", re.IGNORECASE)  # an id that says nothing to a person
_RECOGNISABLE = 12  # characters of a title that can be recognised in another one


def whole_title(title: str, prompt: str, details: str) -> str:
    """Return the tool's title; the title from the prompt when there is none, or when the tool cut its own off.

    A title that a person gave stays. The name of a fork keeps its mark.
    """
    begin, fork = without_fork(title)
    begin = begin.removesuffix("…").removesuffix("...")
    is_cut = len(begin) < min(len(title), len(prompt)) and prompt.startswith(begin)
    if not (is_cut or (len(title) > TITLE and _is_beginning(begin, prompt))) or is_named_by_a_person(details):
        return title or prompt
    return prompt + fork


def _is_beginning(title: str, prompt: str) -> bool:
    """Return whether a title is the beginning of the prompt from which the title `prompt` was taken.

    That one has shortened paths, and a greeting may be left out at its beginning.
    """
    known = prompt.removesuffix("…").casefold()
    words = " ".join(word.rpartition("/")[2] for word in title.split()).casefold()
    return len(known) >= _RECOGNISABLE and (known in words if known != prompt.casefold() else words.startswith(known))


def name_of(session: Session) -> str:
    """Return the session's title, else an id that says something to a person; "" without both."""
    return session.title or ("" if _MADE_BY_A_PROGRAM.fullmatch(session.source_id) else session.source_id)


def title_for_list(title: str, details: str) -> str:
    """Return a title for a row or a header: a title from a tool or a prompt is cut between words. A title that the
    user gave, in Stemmata or in the tool, is not changed.
    """
    return title if len(title) <= TITLE or is_named_by_a_person(details) else cut_title(title)
