from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run


@pytest.fixture(autouse=True)
def share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("shutil.which", lambda _name: None)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "system"))
    return tmp_path / "share"


def test_the_menu_gets_an_entry_and_loses_it(run: Run, share: Path) -> None:
    ran = run("install")
    assert (ran.code, ran.err) == (0, "")
    assert f"below {share}" in ran.out
    assert run("--json", "install").json == {"folder": str(share)}
    assert "Removed" in run("uninstall").out
    assert run("--json", "uninstall").json == {"removed": 0}
    assert run("uninstall").out == "Nothing to remove: Stemmata is not in the menu of this user’s desktop.\n"


def test_a_refusal_is_told(run: Run, share: Path) -> None:
    share.mkdir()
    (share / "applications").touch()
    ran = run("install")
    assert ran.code == 1
    assert "Could not write to" in ran.err
