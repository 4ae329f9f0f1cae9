"""The saved state of the navigator for a session, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stemmata.domain.navigator.outline import Density


@dataclass(frozen=True, slots=True)
class BranchesState:
    """Density, selection, folds and scroll position. Entries are store keys.

    `top` is the key of the row at the top edge and its pixels above the edge. `follows`: the leaf was selected and
    visible, so it is scrolled into view again, even if it has moved since.
    """

    density: Density = Density.TURNS
    selected: int | None = None
    folded: tuple[int, ...] = ()
    top: tuple[int, int] | None = None
    follows: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the state as a JSON object."""
        return {
            "density": self.density.text,
            "selected": self.selected,
            "folded": list(self.folded),
            "top": None if self.top is None else list(self.top),
            "follows": self.follows,
        }

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> BranchesState:
        """Return the state of a saved JSON object; invalid parts count as missing."""
        densities = {density.text: density for density in Density}
        named, folded, top = value.get("density"), value.get("folded"), value.get("top")
        return cls(
            densities.get(named, Density.TURNS) if isinstance(named, str) else Density.TURNS,
            _key(value.get("selected")),
            tuple(key for key in folded if _key(key) is not None) if isinstance(folded, list) else (),
            (top[0], top[1]) if isinstance(top, list) and len(top) == 2 and None not in map(_key, top) else None,
            value.get("follows") is True,
        )


def _key(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
