from __future__ import annotations

from stemmata.domain.history import History
from stemmata.domain.sessions import LeafMove


def moves(*steps: tuple[int | None, int | None, str]) -> list[LeafMove]:
    return [LeafMove(at, before, after, at, reason) for at, (before, after, reason) in enumerate(steps)]


def test_the_move_of_the_import_cannot_be_taken_back() -> None:
    history = History.of(moves((None, 5, "import")))
    assert (history.next_undo, history.next_redo) == (None, None)


def test_undo_and_redo_walk_the_log() -> None:
    log = [(None, 5, "import"), (5, 3, "continue"), (3, 9, "compact"), (9, 3, "undo")]
    history = History.of(moves(*log))
    assert history.next_undo is not None
    assert (history.next_undo.before, history.next_undo.after) == (5, 3)
    assert history.next_redo is not None
    assert history.next_redo.after == 9
    redone = History.of(moves(*log, (3, 9, "redo")))
    assert redone.next_redo is None
    assert len(redone.done) == 2


def test_a_new_move_forgets_what_was_undone() -> None:
    history = History.of(moves((None, 5, "import"), (5, 3, "continue"), (3, 5, "undo"), (5, 1, "continue")))
    assert history.next_redo is None
    assert [move.after for move in history.done] == [1]


def test_stray_undos_and_redos_count_as_moves() -> None:
    history = History.of(moves((None, 1, "undo"), (1, 2, "redo"), (2, 3, "import")))
    assert [move.after for move in history.done] == [1, 2, 3]
