"""Consents in the settings file: kept beside what people wrote, wrong ones reported and not obeyed."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.domain.chat.tool_servers import KeptConsent
from stemmata.system.settings.connections_file import ConsentsFile
from stemmata.system.settings.settings import SettingsError, load

ALWAYS = KeptConsent("files", "files__write", "/home/me", may=True)
NEVER = KeptConsent("Stemmata", "memory", "", may=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def test_consents_are_kept_changed_and_taken_out(path: Path) -> None:
    path.write_text("# mine\n[window]\ntheme = 'dark'  # at night\n")
    file = ConsentsFile(path)
    file.save(ALWAYS)
    file.save(NEVER)
    assert file.consents() == (ALWAYS, NEVER)
    file.save(KeptConsent("files", "files__write", "/home/me", may=False))
    assert [consent.may for consent in file.consents()] == [False, False]
    file.remove(NEVER)
    file.remove(ALWAYS)
    assert file.consents() == ()
    assert path.read_text() == "# mine\n[window]\ntheme = 'dark'  # at night\n"


def test_a_wrong_item_allows_nothing_and_is_told_of(path: Path) -> None:
    path.write_text('[[consents]]\norigin = "files"\ntool = "a"\nanswer = "sure"\n[[consents]]\ntool = 3\n')
    assert ConsentsFile(path).consents() == ()
    problem = str(load(path).problem)
    assert 'answer for “a” must be "always" or "never"' in problem
    assert "tool must be a text" in problem


def test_a_file_that_is_none_is_not_touched(path: Path) -> None:
    path.write_text("consents = 3\n")
    with pytest.raises(SettingsError):
        ConsentsFile(path).save(ALWAYS)
    assert path.read_text() == "consents = 3\n"
    assert ConsentsFile(path).consents() == ()
