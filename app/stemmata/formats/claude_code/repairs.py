"""What was mended in a Claude Code file, in words for the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from stemmata.domain.entries.session_facts import Repaired
from stemmata.formats.claude_code.skeleton_pass import Skeleton
from stemmata.formats.shared.dag import Graph
from stemmata.formats.shared.dag_nodes import Mend

_LISTED = 20  # of one kind; the rest are counted
_ONE = {
    Mend.SAME_TIME: "Written at the same time as its neighbour below one parent: kept behind it.",
    Mend.REPEATED: "Says again what an earlier line says at the same place and time: kept once.",
    Mend.ORPHAN: "Its parent is not in the file: attached as a root, or to the line before if it is a note.",
    Mend.CYCLE: "The parents of this line led back to it: the circle was cut here.",
}
_MANY = {  # usual in sound files, so only counted
    Mend.INLINE: "Late tool results, parts of one message and notes that were kept in line",
    Mend.UNLINKED: "Lines that name no parent, each attached to what stands before it",
}


def repairs_of(skeleton: Skeleton, graph: Graph) -> Iterator[Repaired]:
    yield from skeleton.repaired
    if skeleton.repeated:
        yield Repaired(f"Lines that occur a second time with the same content, kept once: {skeleton.repeated}.")
    counts: Counter[Mend] = Counter()
    for node, code in enumerate(graph.mends):
        mend = Mend(code)
        if mend is not Mend.NOTHING:
            counts[mend] += 1
            if mend in _ONE and counts[mend] <= _LISTED:
                yield Repaired(f"Line {skeleton.lines[node]}: {_ONE[mend]}", skeleton.ids[node])
    for mend, number in counts.items():
        if mend in _MANY:
            yield Repaired(f"{_MANY[mend]}: {number}.")
        elif number > _LISTED:
            yield Repaired(f"{_ONE[mend]} {number - _LISTED} more lines like those listed.")
