"""Contents that are hard to show, in the real window. All of them, at full length: `./packaging/dev bench torture`.

What is compared is processor time of the window's thread, with much room: a busy machine changes little of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from stemmata.bootstrap.window import build
from tests.benchmarks.torture import Stretches, longest_of, play, play_elsewhere, store, store_names
from tests.fakes.torture import tortures

MOST_MS = 150.0  # of one turn of the event loop, for a tenth of the content
SCALE = 0.1
LONG = ("one word of 10 MB", "table of 100,000 rows")
ODD = ("brackets 50,000 deep", "combining marks")
DENSE = ("closing brackets", "right-to-left and overrides", "a small table of 150 rows")
TOOLS = ("tool input of 2 MB", "a difference of one long line")


@pytest.mark.parametrize("chosen", [LONG, ODD, DENSE, TOOLS], ids=["long", "odd", "dense", "tools"])
def test_nothing_keeps_the_window_waiting(qtbot: QtBot, tmp_path: Path, chosen: tuple[str, ...]) -> None:
    contents = list(tortures(SCALE, chosen))
    assert len(contents) == len(chosen)
    sessions = store(tmp_path / "archive.db", contents)
    application = build(["--store", str(tmp_path / "archive.db"), "--profile", str(tmp_path / "profile")])
    try:
        stretches = Stretches(application)
        stretches.show_window()
        for session, torture in zip(sessions, contents, strict=True):
            played = play(stretches, session, torture, steps=1)
            longest = {phase: longest_of(steps) for phase, steps in played.items()}
            assert max(took.busy for took in longest.values()) < MOST_MS, f"{torture.name}: {longest}"
    finally:
        application.close()
        qtbot.wait(1)


def test_no_name_keeps_the_window_waiting(qtbot: QtBot, tmp_path: Path) -> None:
    sessions = store_names(tmp_path / "archive.db", 1_000_000)
    application = build(["--store", str(tmp_path / "archive.db"), "--profile", str(tmp_path / "profile")])
    try:
        stretches = Stretches(application)
        stretches.show_window()
        played = play_elsewhere(stretches, sessions, 1_000_000)
        assert max(took.busy for took in played.values()) < MOST_MS, played
    finally:
        application.close()
        qtbot.wait(1)


def test_the_contents_are_always_the_same() -> None:
    first, again = ([(made.name, made.text, made.call) for made in tortures(0.01)] for _ in range(2))
    assert first == again
    assert len({name for name, _, _ in first}) >= 30
