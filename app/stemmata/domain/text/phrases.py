"""Texts for people that the window can say in another language: the English of it, and what is filled in."""

from __future__ import annotations

import re
from collections.abc import Callable

LONGEST = 20  # values of one phrase
DEEPEST = 5  # phrases in one another
_TEMPLATE = re.compile(r"(?:[^{}]|\{\d\})*")


class Phrase(str):
    """As a string it is the English text. `template` has `{0}`, `{1}` … where the values go.

    `str()` and an error made with it keep it a phrase; text that is put together with others is plain English.
    Whole numbers are written as each language writes them; what is no number, such as a status, is given as text.
    The template is written out where a phrase is made, or marked by `template`: the translators find it there.
    """

    template: str
    values: tuple[object, ...]

    def __new__(cls, template: str, *values: object) -> Phrase:
        kept = tuple(value if isinstance(value, int) else str(value) for value in values)
        made = super().__new__(cls, template.format(*map(_english, kept)))
        made.template, made.values = template, kept
        return made

    def __str__(self) -> str:
        return self

    def __reduce__(self) -> tuple[type[Phrase], tuple[object, ...]]:
        return Phrase, (self.template, *self.values)

    def with_values(self, change: Callable[[str], str]) -> Phrase:
        """The same with the texts among its values changed."""
        return Phrase(self.template, *(_changed(value, change) for value in self.values))


def template(text: str) -> str:
    """Marks the template of a phrase that is made elsewhere."""
    return text


def joined(separator: str, parts: list[str]) -> Phrase:
    """Parts behind each other, each in its language."""
    return Phrase(separator.join(f"{{{at}}}" for at in range(len(parts))), *parts)


def said(text: str, translate: Callable[[str], str], number: Callable[[int], str]) -> str:
    """The text in the language that `translate` knows; English where it knows none. Phrases may hold phrases."""
    if not isinstance(text, Phrase):
        return translate(text)
    try:
        return translate(text.template).format(*(_said(value, translate, number) for value in text.values))
    except (IndexError, KeyError, ValueError):  # the translation names what is not there
        return str.__str__(text)


def to_data(text: str) -> object:
    """As JSON can hold it: the text, or a list of template and values."""
    if not isinstance(text, Phrase):
        return text
    return [text.template, *(to_data(value) if isinstance(value, str) else value for value in text.values)]


def from_data(data: object) -> str:
    """The inverse; "" for what is neither. Nothing but places is filled in, whoever wrote the data."""
    return _from_data(data, DEEPEST)


def _from_data(data: object, room: int) -> str:
    if isinstance(data, str):
        return data
    if not room or not isinstance(data, list) or not data:
        return ""
    if not isinstance(data[0], str) or not _TEMPLATE.fullmatch(data[0]):
        return ""
    values = [_from_data(value, room - 1) if isinstance(value, str | list) else value for value in data[1:LONGEST]]
    if not all(isinstance(value, str | int) for value in values):
        return ""
    try:
        return Phrase(data[0], *values)
    except IndexError:  # a place for which there is no value
        return ""


def _said(value: object, translate: Callable[[str], str], number: Callable[[int], str]) -> object:
    if isinstance(value, Phrase):
        return said(value, translate, number)
    return number(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _english(value: object) -> object:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value


def _changed(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, Phrase):
        return value.with_values(change)
    return change(value) if isinstance(value, str) else value
