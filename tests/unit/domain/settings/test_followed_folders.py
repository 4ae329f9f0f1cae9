"""The folders that a setting names."""

from __future__ import annotations

import pytest

from stemmata.domain.settings.settings import FolderStatus, WatchMethod, changed_setting, folders_of, setting_of


def test_folders_are_unique_and_not_blank() -> None:
    assert folders_of(" ~/a ;; ~/b c;~/a; ") == ("~/a", "~/b c")
    assert folders_of("") == ()
    assert setting_of(["~/a", "~/b c"]) == "~/a; ~/b c"


@pytest.mark.parametrize(
    ("before", "named", "on", "after"),
    [
        ("", ["~/a", "~/b"], True, "~/a; ~/b"),
        ("~/a;~/x", ["~/b", "~/a"], True, "~/a; ~/x; ~/b"),
        ("~/a; ~/x; ~/b", ["~/b", "~/a"], False, "~/x"),
        ("~/x", ["~/a"], False, "~/x"),
        ("~/a", ["~/a"], False, ""),
    ],
)
def test_folders_are_added_at_the_end_and_removed(before: str, named: list[str], on: bool, after: str) -> None:
    assert changed_setting(before, named, on=on) == after


def test_a_folder_that_is_gone_or_refused_is_not_followed() -> None:
    followed = [way for way in WatchMethod if FolderStatus("~/a", way).is_followed]
    assert followed == [WatchMethod.TOLD, WatchMethod.NETWORK, WatchMethod.LIMIT]
