from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.services.ports.settings import SettingsFile as Port
from stemmata.system.settings.schema import SCHEMA, Settings, setting_of
from stemmata.system.settings.settings import SettingsError, SettingsFile, load


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def test_it_gives_every_value_in_force(path: Path) -> None:
    path.write_text('[window]\ntheme = "dark"\n[shortcuts]\nfork = "Ctrl+Alt+F"\n[compaction]\nenabled = 3\n')
    file: Port = SettingsFile(path)
    preferred = file.read()
    assert list(preferred.values) == [setting.key for setting in file.schema] == [setting.key for setting in SCHEMA]
    assert preferred.values["window.theme"] == "dark"
    assert preferred.values["compaction.keep_recent_messages"] is None
    assert preferred.compaction == Settings().compaction
    assert preferred.shortcuts == {"fork": "Ctrl+Alt+F"}
    assert "compaction.enabled must be true or false" in preferred.problem


def test_a_change_is_in_force_at_once(path: Path) -> None:
    file = SettingsFile(path)
    preferred = file.change("compaction.threshold_percent", 60)
    assert (preferred.compaction.threshold_percent, preferred.problem) == (60, "")
    assert file.change("compaction.threshold_percent", None).compaction.threshold_percent == 80
    with pytest.raises(SettingsError):
        file.change("window.font_scale", 300)


def test_keys_of_actions_are_written_and_taken_out(path: Path) -> None:
    file = SettingsFile(path)
    assert file.change("shortcuts.fork", "Ctrl+Alt+F").shortcuts == {"fork": "Ctrl+Alt+F"}
    assert file.change("shortcuts.label", "").shortcuts == {"fork": "Ctrl+Alt+F", "label": ""}
    assert file.change("shortcuts.fork", None).shortcuts == {"label": ""}
    assert load(path).problem is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("shortcuts = 3", "“shortcuts” is not a section"),
        ("[shortcuts]\nfork = 3", 'shortcuts.fork must be keys such as "Ctrl+K", or "" for none'),
        (f'[shortcuts]\nfork = "{"x" * 101}"', "shortcuts.fork must be"),
        ('[shortcuts]\n"" = "F"', "unknown setting “shortcuts.”"),
    ],
)
def test_wrong_keys_are_told_and_passed_over(path: Path, text: str, told: str) -> None:
    path.write_text(text)
    preferred = SettingsFile(path).read()
    assert preferred.shortcuts == {}
    assert told in preferred.problem


def test_a_change_of_keys_is_checked(path: Path) -> None:
    for key, value in (("shortcuts.fork", 3), ("shortcuts.", "F"), ("shortcuts", "F")):
        with pytest.raises(SettingsError):
            SettingsFile(path).change(key, value)
    assert not path.exists()
    setting = setting_of("shortcuts", "fork")
    assert setting is not None
    assert setting.default is None
