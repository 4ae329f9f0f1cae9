"""How columns beside each other share the width there is."""

from __future__ import annotations

from collections.abc import Sequence


def shared(room: int, wanted: Sequence[int], least: Sequence[int], stretch: Sequence[int]) -> list[int]:
    """Widths that make up `room`: what is over goes by `stretch`, what is lacking by how much each has to spare.

    Where not even the least has room, all give way in proportion to it.
    """
    over = room - sum(wanted)
    if over >= 0:
        return _spread(over, wanted, stretch)
    spare = [max(have - need, 0) for have, need in zip(wanted, least, strict=True)]
    if sum(spare) < -over:
        return _spread(room, [0] * len(least), least)
    return _spread(over, wanted, spare)


def _spread(amount: int, base: Sequence[int], parts: Sequence[int]) -> list[int]:
    """`amount` on top of `base`, in these parts, to the pixel."""
    out, left, rest = [], amount, sum(parts)
    for width, part in zip(base, parts, strict=True):
        share = round(left * part / rest) if rest else 0
        out.append(width + share)
        left, rest = left - share, rest - part
    return out
