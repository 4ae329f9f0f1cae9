"""Every trigger of automatic compaction, in every situation, ends as the table in the documentation says."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.domain.chat.run import Phase
from tests.faults.compaction_cases import CASES, CompactionCase
from tests.faults.compaction_stage import compaction_scene
from tests.faults.compaction_table import DOCUMENT, MARKS, written
from tests.faults.table import table_in


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.trigger}, {case.situation}") for case in CASES])
def test_every_situation_ends_as_it_is_stated(case: CompactionCase, tmp_path: Path) -> None:
    with compaction_scene(tmp_path) as scene:
        case.play(scene)
        scene.settle()
        found = scene.survived or scene.outcome(scene.chat)
        assert (found.state.phase is Phase.IDLE) == (not case.problem), found.state
        assert case.problem in found.state.problem
        assert found.state.offers == case.offers
        assert (found.compacted, found.pruned, found.paid) == (case.compacted, case.pruned, case.paid), found.notes
        for piece in case.sees:
            assert piece in found.notes
        # the notices of a killed process are in the notes alone
        assert all(piece in found.notices for piece in case.sees) or scene.survived is not None
        assert case.sees or not found.notes
        assert scene.chat.services.sessions.check().result() == []
        assert scene.chat.archive.read(lambda reader: reader.open_runs()).result() == []


def test_the_table_in_the_documentation_is_in_step() -> None:
    """`python -m tests.faults.compaction_table` writes the table."""
    assert table_in(DOCUMENT.read_text(encoding="utf-8"), *MARKS) == written()
