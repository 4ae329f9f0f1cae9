"""`python -m tests.tasks` writes the page `docs/tasks.md` from the table."""

from __future__ import annotations

from pathlib import Path

from tests.tasks.page import page

if __name__ == "__main__":
    (Path(__file__).parents[2] / "docs" / "tasks.md").write_text(page(), encoding="utf-8")
