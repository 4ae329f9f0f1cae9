"""The borders between the layers: import contracts, and what importing a part costs."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys

import pytest

from stemmata.bootstrap.core import open_core
from stemmata.domain.sessions.session import SessionInfo
from stemmata.system.settings.settings import load
from tests.architecture.sources import ROOT, Source, functions, sources

HEAVY = {"anthropic", "openai", "keyring", "pydantic", "httpx", "httpx2", "mcp", "cryptography"}
QT = {"PySide6", "shiboken6"}
LATER = HEAVY | {
    "peewee",
    "pygments",
    "markdown_it",
    "mdit_py_plugins",
    "zstandard",
    "orjson",
    "tomlkit",
    "click",
}
# Parts that the first window with its sessions does without.
AFTER_THE_FIRST_PAINT = {"stemmata.domain.entries.entry", "stemmata.gui.core.actions", "PySide6.QtSvg", "socket"}
FIRST_WINDOW = """
import json, linecache, sys
from stemmata.bootstrap.window import build
application = build(sys.argv[1:])
from PySide6.QtWidgets import QApplication
application.gui.sessions.listed.connect(lambda _sessions: QApplication.quit())
application.window.show()
QApplication.exec()
application.window.grab()  # painted
json.dump({
    "modules": sorted(sys.modules),
    "widgets": sorted(vars(sys.modules["PySide6.QtWidgets"])),
    "sources": sorted(linecache.cache),
}, sys.stdout)
application.close()
"""


def loaded_by(*modules: str) -> set[str]:
    """Every module in memory after importing these in a fresh interpreter."""
    code = f"import json, sys\nfor name in {modules!r}: __import__(name)\njson.dump(sorted(sys.modules), sys.stdout)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT / "app",
    )
    assert run.returncode == 0, run.stderr
    return set(json.loads(run.stdout))


def packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def of_package(*names: str) -> list[str]:
    prefixes = tuple(f"stemmata.{name}" for name in names)
    return [source.module for source in sources("app") if source.module.startswith(prefixes)]


def test_import_contracts_hold() -> None:
    """Runs in a separate process, because the linter configures logging for its whole process."""
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_entry_point_loads_no_qt_and_no_store() -> None:
    assert not packages(loaded_by("stemmata.__main__")) & (QT | HEAVY | {"peewee", "click", "sqlite3"})


def test_a_request_to_a_running_window_loads_little() -> None:
    """Each of these would take a tenth or more of the time to the answer."""
    loaded = loaded_by("stemmata.__main__")
    assert not packages(loaded) & {"logging", "traceback", "dataclasses", "inspect", "asyncio"}
    assert len([name for name in loaded if name.startswith("stemmata.")]) < 20


def test_the_window_loads_no_network_and_no_keyring() -> None:
    assert not packages(loaded_by("stemmata.bootstrap.window", *of_package("gui"))) & HEAVY


@pytest.fixture(scope="module")
def first_window(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return the modules in memory after the session list is painted, and the files whose source was read."""
    folder = tmp_path_factory.mktemp("first")
    core = open_core(folder / "archive.db", load(folder / "none.toml"))
    core.store.write(lambda writer: writer.create_session(SessionInfo(source="pi", source_id="1"))).result()
    core.close()
    arguments = ["--store", str(folder / "archive.db"), "--profile", str(folder)]
    run = subprocess.run(
        [sys.executable, "-c", FIRST_WINDOW, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT / "app"), "QT_QPA_PLATFORM": "offscreen"},
    )
    assert run.returncode == 0, run.stderr
    found: dict[str, list[str]] = json.loads(run.stdout)
    return found


def test_the_first_window_with_its_sessions_loads_little(first_window: dict[str, list[str]]) -> None:
    """Modules that take long to load must wait until the window is painted."""
    loaded = set(first_window["modules"])
    assert not packages(loaded) & LATER
    assert "importlib.metadata" not in loaded
    assert not loaded & AFTER_THE_FIRST_PAINT
    assert "QStyle" not in first_window["widgets"]  # PySide makes a class on first use; this one takes 5 ms


def test_no_sdk_is_loaded_before_the_first_request() -> None:
    assert not packages(loaded_by(*of_package("providers", "services", "system"))) & HEAVY


def test_the_command_line_loads_no_qt() -> None:
    assert not packages(loaded_by(*of_package("cli"))) & (QT | HEAVY)


def test_the_domain_loads_the_standard_library_only() -> None:
    bare = loaded_by("json")
    mine = loaded_by("json", *of_package("domain")) - bare
    assert packages(mine) <= sys.stdlib_module_names | {"stemmata"}
    assert not packages(mine) & {"asyncio", "socket", "ssl", "sqlite3", "logging", "subprocess"}


# Modules of others that take long to load: functions import them.
SLOW = {
    "anthropic",
    "ctypes",
    "html",
    "httpx2",
    "keyring",
    "markdown_it",
    "mcp",
    "mcp_types",
    "mdit_py_plugins",
    "numpy",
    "openai",
    "peewee",
    "pygments",
    "PySide6.QtSvg",
    "regex",
    "tokenizers",
    "tomlkit",
    "watchfiles",
    "wcwidth",
}
# The doors: modules of ours that functions import, since the first window is painted before they are loaded, or since
# the command line works without them. `docs/architecture.md` explains each.
DOORS = {
    ("stemmata.__main__", "stemmata.bootstrap"),
    ("stemmata.__main__", "stemmata.gui.window.asking"),
    ("stemmata.__main__", "stemmata.version"),
    ("stemmata.bootstrap.entrance", "stemmata.bootstrap"),
    ("stemmata.bootstrap.entrance", "stemmata.gui.window.asking"),
    ("stemmata.bootstrap", "stemmata.bootstrap"),
    ("stemmata.bootstrap.core", "stemmata.bootstrap.parts"),
    ("stemmata.bootstrap.window", "stemmata.gui.widgets.clipboard"),
    ("stemmata.bootstrap.window", "stemmata.gui.window.startup_dialogs"),
    ("stemmata.gui.window.application", "stemmata.gui.window.single_instance"),
    ("stemmata.gui.window.main_window", "stemmata.gui.window.top_bar"),
    ("stemmata.gui.window.main_window", "stemmata.gui.window.views"),
    ("stemmata.gui.window.workspace", "stemmata.gui.window.action_table"),
    ("stemmata.gui.window.workspace", "stemmata.gui.window.controllers"),
    ("stemmata.store.archive", "stemmata.store.writer"),
    ("stemmata.store.entries.pages", "stemmata.store.entries.content"),
    ("stemmata.store.reader", "stemmata.store.repositories"),
    ("stemmata.store.schema.migrations", "stemmata.store.schema.former_index"),
    ("stemmata.store.schema.migrations", "stemmata.store.schema.own_exports"),
    ("stemmata.store.schema.migrations", "stemmata.store.schema.queued_messages"),
    ("stemmata.store.schema.migrations", "stemmata.store.entries.previews"),
    ("stemmata.system.settings.settings", "stemmata.system.settings"),
}


def imported_inside(source: Source) -> set[str]:
    """The modules that functions of this file import."""
    found = set()
    for function in functions(source):
        for node in ast.walk(function):
            if isinstance(node, ast.ImportFrom):
                found.add(node.module or "")
            elif isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
    return found


def test_functions_import_slow_modules_and_the_doors_only() -> None:
    inside = {(source.module, module) for source in sources("app") for module in imported_inside(source)}
    doors = {(source, module) for source, module in inside if not {module, module.partition(".")[0]} & SLOW}
    assert doors == DOORS
