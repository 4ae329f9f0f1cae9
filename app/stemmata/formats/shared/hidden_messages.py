"""Find the messages of a JSON object that repeat an id: those that are read as JSON are only the last ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stemmata.domain.sources.reading import Repaired
from stemmata.formats.shared.free_ids import free_id
from stemmata.formats.shared.json_elements import hidden_places
from stemmata.formats.shared.values import parse_object


@dataclass(frozen=True, slots=True)
class HiddenMessage:
    """A message whose id another one behind it has. `id` is another one, `place` its offset and size."""

    id: str
    fields: dict[str, Any]
    place: tuple[int, int]
    repair: Repaired


def hidden_messages(data: bytes, key: str, known: Mapping[str, Any]) -> Iterator[HiddenMessage]:
    """Yield the messages under `key` that are missing in `known`, which are the messages that were read as JSON.

    A message that only repeats the known one is left out.
    """
    taken = set(known)
    for name, (offset, size) in hidden_places(data, key):
        fields, named = parse_object(data[offset : offset + size]), str(name)
        if fields == known.get(named):
            continue
        id = free_id(named, taken)
        taken.add(id)
        what = f"The id {named} is that of several messages. All are kept, this one as {id}."
        yield HiddenMessage(id, fields, (offset, size), Repaired(what, id))
