"""The parts that are made when first asked for, and go when the program ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from stemmata.domain.settings.settings import FolderScan
from stemmata.services.services import Services
from stemmata.services.settings.preferences import FOLLOWED
from tests.unit.services.conftest import Bench


class Watched:
    """Implements the Watch: records the folders to follow."""

    def __init__(self) -> None:
        self.folders: list[tuple[str, ...]] = []
        self.stopped = 0

    def start(self, folders: Sequence[str], _told: Callable[[FolderScan], None]) -> None:
        self.folders.append(tuple(folders))

    def stop(self) -> None:
        self.stopped += 1


@pytest.fixture
def watch(bench: Bench) -> Watched:
    made = Watched()
    bench.services._make_watch = lambda: made
    return made


@pytest.fixture
def services(bench: Bench) -> Iterator[Services]:
    yield bench.services
    bench.services.close()


def test_what_is_followed_changes_with_the_settings(services: Services, watch: Watched) -> None:
    services.preferences.change(FOLLOWED, "~/a; ~/b").result()
    assert services.followed == ("~/a", "~/b")
    assert watch.folders == [], "nothing follows yet"
    services.following.follow(services.followed)
    services.preferences.change(FOLLOWED, "~/b").result()
    services.preferences.change("window.theme", "light").result()
    services.preferences.change(FOLLOWED, None).result()
    assert watch.folders == [("~/a", "~/b"), ("~/b",), ()]


def test_following_ends_with_the_program_once(services: Services, watch: Watched) -> None:
    services.following.follow(("~/a",))
    services.close()
    services.close()
    assert watch.stopped == 1


def test_closing_makes_nothing(services: Services) -> None:
    services.close()
    assert not {"following", "runs", "connecting", "world"} & services.__dict__.keys()


def test_what_others_write_is_looked_for_in_this_archive(bench: Bench) -> None:
    assert bench.services.watching.look().result() is False
    assert bench.services.pages is bench.archive.pages


class Desktop:
    """Implements the DesktopFiles."""

    def install(self) -> Path:
        return Path("share")

    def remove(self) -> int:
        return 1


class Pages:
    """Implements the Documentation."""

    def page(self, name: str) -> Path:
        return Path(name)


def test_the_desktop_is_adopted(bench: Bench) -> None:
    files, pages = Desktop(), Pages()
    bench.services.adopt_desktop(files, pages)
    assert bench.services.desktop is files
    assert bench.services.guide is pages
    bench.services.close()
