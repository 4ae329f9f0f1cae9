"""What screen readers are told of each screen, word for word. `./packaging/dev accessible` writes it anew."""

from __future__ import annotations

import pytest

from stemmata.bootstrap.window import Application
from tests.accessible.__main__ import FOLDER
from tests.accessible.scenes import SCENES
from tests.accessible.tree import tree


@pytest.mark.parametrize("name", SCENES)
def test_the_screen_is_told_as_it_was(application: Application, name: str) -> None:
    assert tree(SCENES[name](application)) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_every_kept_tree_has_its_screen() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(SCENES)
