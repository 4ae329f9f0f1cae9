"""The short part of `python -m tests.marathon`: nothing is refused, however long a session goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.marathon.marathon import MODELS, Course, run
from tests.marathon.server import serving


@pytest.mark.parametrize("api", MODELS)
def test_no_request_is_refused_in_a_long_session(api: str, tmp_path: Path) -> None:
    course = Course(turns=20, api=api, seed=7)
    with serving(api, course.seed, course.window) as server:
        figures = run(course, tmp_path, server.url)
    assert figures.tally["refusals"] == []
    assert figures.problems == []
    assert (figures.tally["constraints"], figures.tally["constraints lost"]) == (course.turns, [])
    assert figures.tally["summaries"] == 0  # the digest asks nobody
    assert figures.tally["requests"] > course.turns
    assert figures.kinds["compaction"]
    assert figures.kinds["tool_prune"]


def test_as_many_summaries_are_paid_for_as_the_plans_say(tmp_path: Path) -> None:
    course = Course(turns=20, seed=7, summariser="model")
    with serving(course.api, course.seed, course.window) as server:
        figures = run(course, tmp_path, server.url)
    assert figures.problems == []
    assert (figures.tally["refusals"], figures.tally["constraints lost"], figures.failed) == ([], [], 0)
    assert figures.tally["summaries"] == figures.predicted >= figures.kinds["compaction"] > 0
