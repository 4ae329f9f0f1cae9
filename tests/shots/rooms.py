"""Screens beside the main window: the results of a search, the page of files, the forms of tools, an exported page.

They are no pictures of the documentation, so they are taken only by name and into another folder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from stemmata.bootstrap.window import Application
from tests.shots.states import until

Scene = Callable[[Application], None]
_FOLDER = "/home/mara/projects/ledgerly"
_SESSIONS = (
    ("11111111-0000-4000-8000-000000000001", "Round the totals per currency", "Round"),
    ("11111111-0000-4000-8000-000000000002", "Importer: keep the order of the rows", "Order"),
)
_SOURCE = '''"""Amounts of money."""

from decimal import ROUND_HALF_EVEN, Decimal

MINOR_UNITS = {"JPY": 0, "KWD": 3}


def total(amounts: list[Decimal], currency: str) -> Decimal:
    """Return the sum, rounded to the smallest unit of the currency."""
    unit = Decimal(1).scaleb(-MINOR_UNITS.get(currency, 2))
    return sum(amounts, Decimal(0)).quantize(unit, rounding=ROUND_HALF_EVEN)
'''
_MATCHES = (
    "src/ledgerly/money.py:8:def total(amounts: list[Decimal], currency: str) -> Decimal:\n"
    "src/ledgerly/report.py:41:    lines.append(format_amount(total(row.amounts, row.currency), row.currency))\n"
    "tests/test_report.py:17:    assert total([Decimal('0.5')], 'JPY') == 0"
)
_PAGE = """# ISO 4217

The number of **minor units** of a currency:

| code | minor units |
|---|---|
| JPY | 0 |
| EUR | 2 |
| KWD | 3 |
"""
_NUMBERED = "".join(f"{at:6}→{line}\n" for at, line in enumerate(_SOURCE.splitlines(), 1))
_FAILED = (
    "tests/test_report.py .F....                                   [100%]\n"
    "E   AssertionError: assert Decimal('1') == 0\n1 failed, 5 passed in 0.31s"
)
_RATES = json.dumps({"base": "EUR", "date": "2026-11-20", "rates": {"JPY": 162.4, "KWD": 0.3301, "USD": 1.0854}})
_TODOS = [
    {"content": "Read the rules of ISO 4217", "status": "completed", "activeForm": "Reading"},
    {"content": "Round once, after the sum", "status": "in_progress", "activeForm": "Rounding"},
    {"content": "Run the tests of the report", "status": "pending", "activeForm": "Running"},
]
_EDIT = {
    "file_path": f"{_FOLDER}/src/ledgerly/money.py",
    "old_string": "    return sum(round(amount, 2) for amount in amounts)\n",
    "new_string": "    unit = Decimal(1).scaleb(-MINOR_UNITS.get(currency, 2))\n"
    "    return sum(amounts, Decimal(0)).quantize(unit, rounding=ROUND_HALF_EVEN)\n",
}
_CALLS: tuple[tuple[str, dict[str, Any], str, bool], ...] = (
    ("Read", {"file_path": f"{_FOLDER}/src/ledgerly/money.py"}, _NUMBERED, False),
    ("Grep", {"pattern": "total\\(", "output_mode": "content"}, _MATCHES, False),
    ("Glob", {"pattern": "tests/**/*.py"}, "tests/conftest.py\ntests/test_import.py\ntests/test_report.py", False),
    ("WebFetch", {"url": "https://example.org/iso-4217", "prompt": "Which currencies have no cents?"}, _PAGE, False),
    ("TodoWrite", {"todos": _TODOS}, "Todos have been modified successfully.", False),
    ("Edit", _EDIT, f"The file {_FOLDER}/src/ledgerly/money.py has been updated.", False),
    ("Bash", {"command": "pytest -q tests/test_report.py", "description": "Run the tests"}, _FAILED, True),
    ("mcp__rates__latest", {"base": "EUR", "symbols": ["JPY", "KWD", "USD"]}, _RATES, False),
    ("Task", {"description": "Find other places", "prompt": "List places that round.", "subagent_type": "Explore"},
     "Two more places round: `report.py:41` and `export.py:88`.", False),
)  # fmt: skip


# -- archives ----------------------------------------------------------------------------------------------------


def project(application: Application) -> None:
    """Sessions of Claude Code in one project, one of them with agents and every form of tool."""
    folder = Path.home() / ".claude" / "projects" / "-home-mara-projects-ledgerly"
    folder.mkdir(parents=True)
    for id, title, mark in _SESSIONS:
        lines = [*_talk(id, title, mark), {"type": "custom-title", "sessionId": id, "customTitle": title}]
        _write(folder / f"{id}.jsonl", lines)
    for number, task in enumerate(("List places that round.", "Check the rounding of every currency")):
        _write(
            folder / _SESSIONS[0][0] / "subagents" / f"agent-a{number}.jsonl", _agent(_SESSIONS[0][0], number, task)
        )
    report = application.services.importing.import_paths([folder]).result()
    title = _SESSIONS[0][1]
    application.gui.open_session(next(session.key for session in report.sessions if session.title == title))
    until(lambda: application.gui.opened.session_tree is not None)


def _write(path: Path, lines: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def _talk(id: str, title: str, mark: str) -> Iterator[dict[str, Any]]:
    line = _Lines(id)
    yield line.said("user", f"{title}. Mind the yen: its totals are wrong by up to half a unit.")
    for at, (tool, arguments, output, failed) in enumerate(_CALLS):
        call = f"toolu_{mark}_{at}"
        yield line.said("assistant", [{"type": "tool_use", "id": call, "name": tool, "input": arguments}])
        result = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": failed}
        yield line.said("user", [result])
    answer = (
        "The totals are rounded **once**, after the sum, to the unit of the currency.\n\n- yen: 0 places\n- dinar: 3"
    )
    yield line.said("assistant", [{"type": "text", "text": answer}])


def _agent(session: str, number: int, task: str) -> Iterator[dict[str, Any]]:
    line = _Lines(session, f"a{number}", isSidechain=True, agentId=f"a{number}")
    yield line.said("user", task)
    yield line.said("assistant", [{"type": "text", "text": "`report.py` rounds in line 41."}])


class _Lines:
    """Make lines of Claude Code, each below the one before it."""

    def __init__(self, session: str, mark: str = "", **fields: Any) -> None:
        self._fields = {"isSidechain": False, "sessionId": session, "cwd": _FOLDER, "version": "2.1.0", **fields}
        self._id, self._count = f"{session}{mark}", 0
        self._parent: str | None = None

    def said(self, role: str, content: Any) -> dict[str, Any]:
        parent, self._count = self._parent, self._count + 1
        self._parent = id = f"{self._id}-{self._count}"
        message: dict[str, Any] = {"role": role, "content": content}
        if role == "assistant":
            usage = {"input_tokens": 4, "cache_read_input_tokens": 9000 + 700 * self._count, "output_tokens": 210}
            message |= {"id": f"msg_{id}", "type": "message", "model": "claude-opus-4-5", "usage": usage}
        stamp = f"2026-11-20T09:{self._count:02}:00.000Z"
        return {
            "type": role,
            "uuid": id,
            "parentUuid": parent,
            "timestamp": stamp,
            "message": message,
            **self._fields,
        }


# -- scenes ------------------------------------------------------------------------------------------------------


def _ask(query: str) -> Scene:
    """Search all sessions and open the second hit."""

    def scene(application: Application) -> None:
        application.window.actions_table["search-sessions"].trigger()
        view = application.window.results
        until(view.isVisible)
        view.field.setText(query)
        if query:
            until(lambda: view.header.chip_label.text() or "No hits" in view.message_label.text())
        if view.model.rows:
            for _ in range(2):
                application.gui.controllers.results.step(1)

    return scene


def _files(application: Application) -> None:
    application.gui.controllers.files.open()
    view = application.gui.controllers.files.view
    until(lambda: view.isVisible() and view.text.rows)


def _tools(application: Application) -> None:
    application.window.actions_table["card-tools"].trigger()


ROOMS: dict[str, Scene] = {
    "results": _ask("order"),
    "results-empty": _ask("zzyzx"),
    "results-help": _ask(""),
    "results-tools": _ask("total"),
    "files": _files,
    "files-project": _files,
    "tools": _tools,
    "tree-of-work": lambda application: application.window.sessions.list.setFocus(),
}
PREPARED_ROOMS: dict[str, Scene] = dict.fromkeys(("results-tools", "files-project", "tools", "tree-of-work"), project)
