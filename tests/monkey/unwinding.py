"""Deeds that can be undone, and undoing and redoing all of them: the archive is as at the start, and as before."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

from stemmata.domain.compaction.pruning import PruneOccasion
from stemmata.domain.context.projection import CUT, OUT
from stemmata.domain.entries.entry import Kind
from stemmata.domain.errors import ConflictError, KnownError, NothingToDoError
from stemmata.domain.sessions.steps import LIST
from stemmata.services.compaction.request import CompactionRequest
from stemmata.services.services import Services
from tests.fakes.waiting import PATIENCE
from tests.monkey.choices import Facts
from tests.monkey.scene import Scene

DEEDS = (
    "label", "pin", "delete", "move", "continue", "fork", "rename", "tag", "star", "archive", "prune", "compact",
    "exclude", "prune and compact", "edit summary", "delete session",
)  # fmt: skip
OF_LEAF = ("prune", "compact", "exclude", "prune and compact")


def a_deed(dice: Random, _scene: Scene) -> Facts | None:
    return {"deed": dice.choice(DEEDS), "at": round(dice.random(), 3), "on": dice.random() < 0.7}


def a_history(dice: Random, scene: Scene) -> Facts | None:
    return (
        {"at": dice.randrange(64), "list": dice.random() < 0.2} if scene.application.gui.sessions.sessions else None
    )


def act_on_archive(scene: Scene, facts: Facts) -> None:
    """Do something to the open session as another window would."""
    services, session = scene.application.services, _open(scene)
    if session is None:
        return
    opened = services.sessions.open(session).result(PATIENCE)
    leaf = opened.session.leaf
    if not len(opened.tree) or (leaf is None and facts["deed"] in OF_LEAF):
        return
    entry, on = opened.tree.key(int(facts["at"] * (len(opened.tree) - 1))), bool(facts["on"])
    branching, sessions = services.branching, services.sessions
    path = opened.tree.path(opened.tree.get(leaf))
    summary = next((opened.tree.key(at) for at in path if opened.tree.kind(at) is Kind.COMPACTION), None)
    deeds: dict[str, Callable[[], Future[Any]]] = {
        "label": lambda: branching.label(session, entry, "mark <b>&</b>" if on else ""),
        "pin": lambda: branching.pin(session, [entry], on=on),
        "delete": lambda: branching.trash(session, entry, on=on),
        "move": lambda: branching.move_leaf(session, entry),
        "continue": lambda: branching.continue_from(session, entry),
        "fork": lambda: branching.fork(session, entry),
        "rename": lambda: sessions.rename(session, f"name {entry}" if on else ""),
        "tag": lambda: sessions.tag([session], "monkey", on=on),
        "star": lambda: sessions.star([session], on=on),
        "archive": lambda: sessions.set_archived([session], on=on),
        "prune": lambda: services.pruning.run(session, leaf or 0),
        "compact": lambda: services.compaction.run(_request(session, leaf or 0)),
        "exclude": lambda: services.pruning.omit(session, entry, OUT if on else CUT),
        "prune and compact": lambda: services.compaction.run(
            replace(_request(session, leaf or 0), prune=PruneOccasion.BY_HAND)
        ),
        "edit summary": lambda: services.compaction.edit(session, summary or 0, f"Edited <b>{entry}</b>."),
        "delete session": lambda: sessions.trash([session], on=on),
    }
    if summary is None and facts["deed"] == "edit summary":
        return
    with suppress(KnownError):
        deeds[facts["deed"]]().result(PATIENCE)


# Actions of the window that make one step each.
ONE_STEP = (
    "pin", "star", "archive", "trash", "trash-branch", "fork", "continue", "prune", "prune-duplicates", "cut-entry",
    "exclude-entry", "include-entry", "accept-compaction",
)  # fmt: skip


def a_step_to_undo(dice: Random, scene: Scene) -> Facts | None:
    window = dice.randrange(len(scene.main_windows))
    enabled = [id for id in ONE_STEP if scene.main_windows[window].actions_table[id].isEnabled()]
    # what can rarely be done is done when it can
    preferred = [id for id in enabled if id in ("accept-compaction", "include-entry")] or enabled
    return {"id": dice.choice(preferred), "window": window} if preferred else None


def undo_one_step(scene: Scene, facts: Facts) -> None:
    """Do something in the window and undo its step: all is as before, unless something else happened meanwhile."""
    services, window = scene.application.services, scene.main_windows[-1]
    if facts["window"] < len(scene.main_windows):
        window = scene.main_windows[facts["window"]]
    workspace = next(one for one in scene.application.gui.workspaces if one.window is window)
    action, session = window.actions_table[facts["id"]], workspace.opened.key if workspace.is_wired else None
    if session is None or not action.isEnabled() or _is_running(services):
        return
    before, steps = _both(services, session), _counted(services)
    action.trigger()
    scene.until(lambda: _counted(services) != steps, 0.4)
    scene.process(5)
    after = _counted(services)
    history = services.histories.several((LIST, session)).result(PATIENCE)
    newest = {scope: one.next_undo.key for scope, one in history.items() if one.next_undo is not None}
    made = [scope for scope, key in newest.items() if key == after[0]]
    if after[0] != steps[0] + 1 or after[1] != steps[1] or not made or _is_running(services):
        return  # it asked something first, or something else was done as well
    services.histories.undo(made[0]).result(PATIENCE)
    again = _both(services, session)
    if _counted(services) == after:
        assert again == before, f"“{facts['id']}” undone gave {again}, not {before}"


def _both(services: Services, session: int) -> object:
    """Return what undo brings back; a fork that is undone stays in the trash."""
    return state(services, session), [row for row in listed(services, session) if not row[-1]]


def _is_running(services: Services) -> bool:
    return bool(services.sessions.archive.read(lambda reader: reader.open_runs()).result(PATIENCE))


def _counted(services: Services) -> tuple[int, int]:
    """Return the number of the newest step, and how many imports and messages of chats moved a leaf."""

    def job(reader: Any) -> tuple[int, int]:
        steps = "SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'steps'"
        imports = "SELECT count(*) FROM leaf_moves WHERE reason IN ('import', 'append')"
        found: tuple[int, int] = reader.connection.execute(f"SELECT ({steps}), ({imports})").fetchone()
        return found

    return services.sessions.archive.read(job).result(PATIENCE)


def unwind(scene: Scene, facts: Facts) -> None:
    """Undo everything in a session and redo it; what a run or an import does meanwhile ends the comparison."""
    services = scene.application.services
    known = sorted(session.key for session in services.sessions.all().result(PATIENCE))
    if not known or _is_running(services):
        return
    session = known[facts["at"] % len(known)]
    scope, look = (LIST, listed) if facts["list"] else (session, state)
    last, before = _newest(services), look(services, session)
    undone, refused = _unwound(services, scope, most=3 if facts["list"] else 10_000)
    start = look(services, session)
    redone = 0
    with suppress(ConflictError):  # the file of an import is not what it was
        while redone < undone and not refused:
            services.histories.redo(scope).result(PATIENCE)
            redone += 1
    if refused or redone < undone or _newest(services) != last:
        return
    after = look(services, session)
    assert after == before, f"session {session}: {undone} steps undone and redone gave {after}, not {before}"
    for _ in range(redone):
        services.histories.undo(scope).result(PATIENCE)
    again = look(services, session)
    assert again == start or _newest(services) != last, f"session {session}: all undone gave {again}, not {start}"


def _unwound(services: Services, scope: int, most: int = 10_000) -> tuple[int, int]:
    """Undo steps until there is none; returns how many were undone and how many refused."""
    undone = refused = 0
    while undone + refused < most:
        try:
            services.histories.undo(scope).result(PATIENCE)
            undone += 1
        except ConflictError:
            refused += 1
        except NothingToDoError:
            break
    return undone, refused


def state(services: Services, session: int) -> object:
    """Return what undo brings back of a session, without the entries that were only added."""
    found = services.sessions.open(session).result(PATIENCE)
    tree, facts = found.tree, found.session
    leaf = tree.get(facts.leaf)
    return (
        facts.leaf, facts.title if facts.named else "", facts.tags, facts.starred, facts.archived, facts.trashed,
        sorted((tree.key(at), text) for at, text in tree.labels.items()), sorted(map(tree.key, tree.pins)),
        sorted(map(tree.key, tree.trash)), services.contexts.seen(found, leaf).breakdown.total,
    )  # fmt: skip


def listed(services: Services, _session: int) -> list[tuple[object, ...]]:
    """Return what undo brings back of the list of sessions."""
    known = [one for trashed in (False, True) for one in services.sessions.all(trashed=trashed).result(PATIENCE)]
    return sorted(
        {(one.key, one.title if one.named else "", one.tags, one.starred, one.archived, one.trashed) for one in known}
    )


def _newest(services: Services) -> object:
    """Return what changes with every new step, move of a leaf by an import, and run."""

    def job(reader: Any) -> object:
        query = "SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'steps'), (SELECT count(*) FROM leaf_moves"
        return reader.connection.execute(f"{query} WHERE reason NOT IN ('undo', 'redo'))").fetchone()

    return services.sessions.archive.read(job).result(PATIENCE)


def _open(scene: Scene) -> int | None:
    keys = [workspace.opened.key for workspace in scene.application.gui.workspaces if workspace.is_wired]
    return keys[0] if keys else None


def _request(session: int, leaf: int) -> CompactionRequest:
    return CompactionRequest(session=session, leaf=leaf, keep_recent_tokens=500)
