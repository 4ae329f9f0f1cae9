"""What each picture shows, and the archive it is taken from."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from stemmata.assets import resource
from stemmata.bootstrap.window import Application
from stemmata.domain.navigator.outline import Density
from tests.shots.states import PREPARED_STATES

Scene = Callable[[Application], None]
NANOSECONDS = 1_000_000_000
WAIT = 0.35  # seconds without anything happening, for timers of the window to run out


def settled(application: Application) -> None:
    """Until everything that was asked for is there and painted."""
    for _ in range(3):
        application.services.sessions.totals().result()
        end = time.monotonic() + WAIT
        while time.monotonic() < end or application.gui.theme.is_changing:
            QApplication.processEvents()
            time.sleep(0.005)


# -- archives ----------------------------------------------------------------------------------------------------


def empty(application: Application) -> None:
    """Nothing imported yet, and some sessions lying around on this machine."""
    home = Path.home()
    for at, (folder, count) in enumerate(
        {".pi/agent/sessions/--work--": 7, ".claude/projects/-work-app": 12}.items()
    ):
        place = home / folder
        place.mkdir(parents=True, exist_ok=True)
        for number in range(count):
            write = _pi_lines if at == 0 else _claude_lines
            path = place / f"00000000-0000-4000-8000-{at:04}{number:08}.jsonl"
            path.write_text(
                "".join(json.dumps(line) + "\n" for line in write(f"s{number}", "A question", 6)), "utf-8"
            )
    application.gui.importing.discover()


def full(application: Application) -> None:
    """The demo session among a dozen others."""
    folder = Path.home() / "sessions"
    folder.mkdir(exist_ok=True)
    for at, (title, project, turns) in enumerate(_OTHERS):
        path = folder / f"{at:02}.jsonl"
        lines = list(_pi_lines(f"other-{at}", title, turns, project, days=at * 3 + 1))
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    demo = next(iter(sorted(resource("demo").glob("*.jsonl"))))
    report = application.services.importing.import_paths([folder, demo]).result()
    settled(application)
    application.gui.open_session(next(session.key for session in report.sessions if session.path == str(demo)))


PREPARED: dict[str, Scene] = {"": full, "first-run": empty, **PREPARED_STATES}

_OTHERS = (
    ("Idempotency keys for refunds", "billing-service", 9),
    ("Why did invoice 4411 double-post?", "billing-service", 24),
    ("RPC mode: streaming backpressure", "editor", 60),
    ("Flaky compaction queue test", "editor", 31),
    ("Trip plan, Lisbon → Porto", "", 6),
    ("Move the cron jobs to the new host", "infra", 14),
    ("Ein sehr langer Titel über die Grenzen hinaus, damit man sieht, wie er gekürzt wird", "ledgerly", 3),
    ("データの読み込みを速くする 🚀", "ledgerly", 5),
)


def _pi_lines(id: str, title: str, turns: int, project: str = "app", days: int = 1) -> Iterator[dict[str, Any]]:
    now = time.time_ns() // NANOSECONDS - days * 86_400
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(now))
    yield {
        "type": "session",
        "version": 3,
        "id": id,
        "timestamp": stamp,
        "cwd": f"/code/{project}" if project else "",
    }
    for at in range(turns):
        message: dict[str, Any] = {"role": "user", "content": title if at == 0 else f"And then, step {at}?"}
        if at % 2:
            used = 4000 + at * 2600
            message = {
                "role": "assistant", "content": [{"type": "text", "text": f"Done with step {at}."}],
                "stopReason": "stop",
                "provider": "anthropic", "model": "claude-opus-4-5", "usage": {"input": used, "totalTokens": used},
            }  # fmt: skip
        parent = f"{id}-{at - 1}" if at else None
        yield {"type": "message", "id": f"{id}-{at}", "parentId": parent, "timestamp": stamp, "message": message}


def _claude_lines(id: str, title: str, turns: int) -> Iterator[dict[str, Any]]:
    for at in range(turns):
        role = "assistant" if at % 2 else "user"
        yield {
            "type": role, "uuid": f"{id}-{at}", "parentUuid": f"{id}-{at - 1}" if at else None, "sessionId": id,
            "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/code/app", "message": {"role": role, "content": title},
        }  # fmt: skip


# -- scenes ----------------------------------------------------------------------------------------------------


def _main(application: Application) -> None:
    application.window.branches.list.setFocus()


def _first_run(application: Application) -> None:
    application.window.show_welcome(on=True)


def _import_report(application: Application) -> None:
    broken = Path.home() / "broken.jsonl"
    demo = next(iter(sorted(resource("demo").glob("*.jsonl")))).read_text(encoding="utf-8")
    broken.write_text(demo.replace('"version":3,"id":"', '"version":3,"id":"copy-', 1) + "{cut off", encoding="utf-8")
    application.gui.importing.show_dialog()
    application.gui.importing.import_paths([str(broken), "/home/you/sessions/missing.jsonl"], opens=False)


def _compaction(application: Application) -> None:
    application.window.actions_table["compact"].trigger()


def _palette(application: Application) -> None:
    application.window.palette_box.open()
    application.window.palette_box.field.setText("pool")


def _everything(application: Application) -> None:
    application.window.branches.list.setFocus()
    application.window.branches.set_density(Density.EVERYTHING)


def _compare(application: Application) -> None:
    session_tree = application.gui.opened.session_tree
    assert session_tree is not None
    beside = next(
        leaf for leaf in session_tree.tree.leaves if leaf != session_tree.tree.get(session_tree.session.leaf)
    )
    application.gui.controllers.compare.open(session_tree.tree.key(beside))


def _settings(application: Application) -> None:
    application.window.actions_table["settings"].trigger()


SCENES: dict[str, Scene] = {
    "main": _main,
    "first-run": _first_run,
    "import-report": _import_report,
    "compaction": _compaction,
    "palette": _palette,
    "everything": _everything,
    "compare": _compare,
    "settings": _settings,
}
