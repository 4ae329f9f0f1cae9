"""Texts that the layers below the window write for people, kept translatable: an English template and its values."""

from __future__ import annotations

import re
from collections.abc import Callable

MAX_VALUES = 20  # values of one phrase that is read from the archive
MAX_NESTED_PHRASES = 5  # levels of phrases that are values of phrases
_TEMPLATE = re.compile(r"(?:[^{}]|\{\d\})*")


class Phrase(str):
    """A string in English that remembers its template and values, so that the window can translate it.

    `template` has `{0}`, `{1}` … where the values go. `str()` returns the phrase itself, and an error that is made
    with a phrase keeps it; concatenating or formatting a phrase gives an ordinary English string. An int value is
    printed with the digit grouping of each language, so pass numbers that are names (an HTTP status) as text.
    Write the template as a literal in the call, or mark it with `template()`: translators' tools search for those.
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
        """Return the phrase with `change` applied to every text among its values, also in nested phrases."""
        return Phrase(self.template, *(_changed(value, change) for value in self.values))


def template(text: str) -> str:
    """Mark a template for translation where it is written apart from its Phrase; returns it unchanged."""
    return text


def plural_phrase(one: str, many: str, count: int, *values: object) -> Phrase:
    """Return a phrase in the singular when `count` is 1, else in the plural.

    Both are templates, which `template()` marks for translation.
    """
    return Phrase(one if count == 1 else many, *values)


def joined(separator: str, parts: list[str]) -> Phrase:
    """Return a phrase that joins the parts with a separator; each part is translated on its own."""
    return Phrase(separator.join(f"{{{at}}}" for at in range(len(parts))), *parts)


def translated(text: str, translate: Callable[[str], str], number: Callable[[int | str], str]) -> str:
    """Return the text in the language of `translate`, with numbers formatted by `number`, which also gets texts.

    Nested phrases are translated as well. The English text is returned when the translation has a wrong placeholder.
    """
    if not isinstance(text, Phrase):
        return translate(text)
    try:
        return translate(text.template).format(
            *(_translated_value(value, translate, number) for value in text.values)
        )
    except (IndexError, KeyError, ValueError):  # the translation has a placeholder that the template has not
        return str.__str__(text)


def to_data(text: str) -> object:
    """Return a value that JSON can hold: a text as it is, a phrase as a list of its template and values."""
    if not isinstance(text, Phrase):
        return text
    return [text.template, *(to_data(value) if isinstance(value, str) else value for value in text.values)]


def from_data(data: object) -> str:
    """Return the text or phrase that `to_data` converted; "" for data of any other form.

    The data may come from an untrusted archive: a template with anything but `{0}`-style placeholders is refused.
    """
    return _from_data(data, MAX_NESTED_PHRASES)


def _from_data(data: object, levels: int) -> str:
    if isinstance(data, str):
        return data
    if not levels or not isinstance(data, list) or not data:
        return ""
    if not isinstance(data[0], str) or not _TEMPLATE.fullmatch(data[0]):
        return ""
    values = [
        _from_data(value, levels - 1) if isinstance(value, str | list) else value for value in data[1:MAX_VALUES]
    ]
    if not all(isinstance(value, str | int) for value in values):
        return ""
    try:
        return Phrase(data[0], *values)
    except IndexError:  # a placeholder has no value
        return ""


def _translated_value(value: object, translate: Callable[[str], str], number: Callable[[int | str], str]) -> object:
    if isinstance(value, Phrase):
        return translated(value, translate, number)
    return number(value) if isinstance(value, int | str) and not isinstance(value, bool) else value


def _english(value: object) -> object:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value


def _changed(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, Phrase):
        return value.with_values(change)
    return change(value) if isinstance(value, str) else value
