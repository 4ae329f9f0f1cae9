from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from stemmata.domain.errors import KnownError
from stemmata.system.paths import Profile
from stemmata.system.window_socket import LONGEST_SOCKET


def test_the_standard_profile_lies_in_the_folders_of_the_system(profile: Path) -> None:
    standard = Profile.standard()
    assert all(folder.is_relative_to(profile) for folder in (standard.config, standard.data, standard.state))
    assert standard.store == standard.data / "archive.db"


def test_a_profile_folder_holds_everything(tmp_path: Path) -> None:
    profile = Profile.choose({"STEMMATA_PROFILE": "/elsewhere"}, folder=str(tmp_path))
    files = (profile.settings, profile.window, profile.log, profile.crash, profile.cache, profile.store)
    assert all(file.is_relative_to(tmp_path) for file in files)
    assert len(set(files)) == len(files)


def test_the_environment_chooses_where_no_option_does(tmp_path: Path) -> None:
    environment = {"STEMMATA_PROFILE": str(tmp_path), "STEMMATA_STORE": str(tmp_path / "other.db")}
    profile = Profile.choose(environment)
    assert profile.config.is_relative_to(tmp_path)
    assert profile.store == tmp_path / "other.db"
    assert Profile.choose(environment, store="/tmp/mine.db").store == Path("/tmp/mine.db")


def test_a_relative_path_is_taken_from_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Profile.choose({}, folder="here", store="a.db").store == tmp_path / "a.db"
    assert Profile.choose({}, folder="here").config == tmp_path / "here" / "config"


def test_a_home_folder_is_expanded(profile: Path) -> None:
    assert Profile.choose({}, folder="~/mine").store == profile / "mine" / "data" / "archive.db"


def test_an_unknown_home_folder_is_a_known_error() -> None:
    with pytest.raises(KnownError, match="Not a valid path"):
        Profile.choose({}, store="~nobody-of-this-name/archive.db")


def test_the_folders_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    profile = Profile.choose({}, folder=str(tmp_path / "one"), store=str(tmp_path / "deep" / "er" / "a.db"))
    profile.create()
    profile.create()
    for folder in (profile.config, profile.data, profile.state, profile.cache, profile.store.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_made_is_a_known_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(KnownError, match="Could not create the folder"):
        Profile.under(tmp_path / "file").create()


@pytest.mark.skipif(os.name != "posix", reason="only there a socket is a file with a longest name")
def test_a_deep_profile_is_heard_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")
    deep, deeper = Profile.under(Path("/" + "d" * 120)), Profile.under(Path("/" + "d" * 121))
    assert len(deep.socket) < LONGEST_SOCKET
    assert deep.socket.startswith("/run/user/1000/stemmata-")
    assert deep.socket != deeper.socket
    assert Profile.under(Path("/short")).socket.startswith("/short/state/window-")
