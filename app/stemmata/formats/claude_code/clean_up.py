"""Claude Code's own clean-up: it deletes sessions that were not used for some days, when it starts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stemmata.domain.errors import KnownError
from stemmata.formats.pi.reader import expanded
from stemmata.formats.shared.source_file import known_read_errors, open_source
from stemmata.formats.shared.values import BadLineError, parse_object

USUAL_DAYS = 30
_SETTING = "cleanupPeriodDays"
_LARGEST = 1 << 20  # bytes of a settings file
_MOST_DAYS = 100_000


def clean_up_of(home: Path, environment: Mapping[str, str]) -> tuple[int, Path]:
    """Return the number of days without use after which Claude Code deletes a session, and the folder of sessions.

    0 means that it deletes sessions at its next start. USUAL_DAYS is returned when the settings file is missing or
    damaged, or has no valid number.
    """
    named = environment.get("CLAUDE_CONFIG_DIR", "")
    config = expanded(named, home) if named else home / ".claude"
    return _days(config / "settings.json"), config / "projects"


def _days(settings: Path) -> int:
    try:
        with open_source(settings) as file, known_read_errors(settings):
            found = parse_object(file.read(_LARGEST)).get(_SETTING)
    except (KnownError, BadLineError):
        return USUAL_DAYS
    if isinstance(found, bool) or not isinstance(found, int | float) or not found >= 0:
        return USUAL_DAYS
    return int(min(found, _MOST_DAYS))
