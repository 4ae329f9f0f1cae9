"""The borders between the layers: import contracts, and what importing a part costs."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.architecture.sources import ROOT, sources

HEAVY = {"anthropic", "openai", "keyring", "pydantic", "httpx", "httpx2", "mcp", "cryptography"}
QT = {"PySide6", "shiboken6"}


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
    """In a process of its own: the linter configures logging for the whole process."""
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_entry_point_loads_no_qt_and_no_store() -> None:
    assert not packages(loaded_by("stemmata.__main__")) & (QT | HEAVY | {"peewee", "click", "sqlite3"})


def test_the_window_loads_no_network_and_no_keyring() -> None:
    assert not packages(loaded_by("stemmata.bootstrap", *of_package("gui"))) & HEAVY


def test_the_command_line_loads_no_qt() -> None:
    assert not packages(loaded_by(*of_package("cli"))) & (QT | HEAVY)


def test_the_domain_loads_the_standard_library_only() -> None:
    bare = loaded_by("json")
    mine = loaded_by("json", *of_package("domain")) - bare
    assert packages(mine) <= sys.stdlib_module_names | {"stemmata"}
    assert not packages(mine) & {"asyncio", "socket", "ssl", "sqlite3", "logging", "subprocess"}


def test_the_domain_loads_little() -> None:
    foreign = {name for name in loaded_by("json", *of_package("domain")) if not name.startswith("stemmata")}
    assert len(foreign - loaded_by("json")) <= 40, sorted(foreign)
