"""After how many days Claude Code deletes sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.formats.claude_code.clean_up import clean_up_of
from stemmata.formats.registry import standard_formats


@pytest.mark.parametrize(
    ("settings", "days"),
    [
        (None, 30),
        ('{"cleanupPeriodDays":7}', 7),
        ('{"cleanupPeriodDays":0}', 0),
        ('{"cleanupPeriodDays":1.5}', 1),
        ('{"cleanupPeriodDays":1e300}', 100_000),
        ('{"cleanupPeriodDays":-1}', 30),
        ('{"cleanupPeriodDays":NaN}', 30),
        ('{"cleanupPeriodDays":true}', 30),
        ('{"cleanupPeriodDays":"7"}', 30),
        ('{"model":"m"}', 30),
        ("[7", 30),
    ],
)
def test_the_days_are_in_the_settings(tmp_path: Path, settings: str | None, days: int) -> None:
    (tmp_path / ".claude").mkdir()
    if settings is not None:
        (tmp_path / ".claude" / "settings.json").write_text(settings, encoding="utf-8")
    assert clean_up_of(tmp_path, {}) == (days, tmp_path / ".claude" / "projects")


def test_the_environment_moves_the_folder(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"cleanupPeriodDays":3}', encoding="utf-8")
    moved = {"CLAUDE_CONFIG_DIR": str(tmp_path)}
    assert clean_up_of(Path("/home/ann"), moved) == (3, tmp_path / "projects")


def test_only_the_folder_that_is_cleaned_counts(tmp_path: Path) -> None:
    for folder in (".claude", ".config/claude"):
        (tmp_path / folder / "projects" / "p").mkdir(parents=True)
        (tmp_path / folder / "projects" / "p" / "s.jsonl").write_text("{}\n", encoding="utf-8")
    formats = standard_formats(tmp_path, {})
    assert len(formats.discover()) == 2
    [found] = formats.clean_ups()
    assert (found.source, found.name, found.days) == ("claude-code", "Claude Code", 30)
    assert found.files == (str(tmp_path / ".claude" / "projects" / "p" / "s.jsonl"),)
