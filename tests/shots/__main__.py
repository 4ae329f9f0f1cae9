"""`python -m tests.shots [name …]`: the pictures of the documentation, taken from the running program.

Every scene is taken dark and light, at 1440 × 900 and at 1024 × 700, into `docs/images`; chatting and the rarer
states dark at the one size and light at the other.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QDialog

from stemmata.bootstrap import Application, build
from stemmata.gui.widgets.popup import Popup
from tests.shots.chatting import CHATTING
from tests.shots.palette import reduced
from tests.shots.scenes import PREPARED, SCENES, settled
from tests.shots.states import STATES

SIZES = {"": (1440, 900), "-small": (1024, 700)}
THEMES = ("dark", "light")
ALL = {**SCENES, **CHATTING, **STATES}
RARE = {("dark", ""), ("light", "-small")}
SMALLEST = 1  # Qt's measure of how hard a PNG is compressed; 0 would be its default
IMAGES = Path(__file__).parents[2] / "docs" / "images"


def main() -> int:
    parser = argparse.ArgumentParser(description="Take the pictures of the documentation.")
    parser.add_argument("names", nargs="*", choices=[*ALL, []], help="which scenes; all by default")
    parser.add_argument("--out", type=Path, default=IMAGES, help="where the pictures go")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    for theme in THEMES:
        for suffix, size in SIZES.items():
            for name in chosen.names or ALL:
                if name not in SCENES and (theme, suffix) not in RARE:
                    continue
                path = chosen.out / f"{name}-{theme}{suffix}.png"
                take(name, theme, size, path)
                sys.stdout.write(f"{path.name}\n")
    return 0


def take(name: str, theme: str, size: tuple[int, int], path: Path) -> None:
    """One picture, from a program started for it in a folder of its own."""
    with started(theme, size) as application:
        PREPARED.get(name, PREPARED[""])(application)
        settled(application)
        ALL[name](application)
        settled(application)
        picture = with_dialogs(application)
        if not reduced(picture.toImage()).save(str(path), quality=SMALLEST):
            raise OSError(f"{path} could not be written")


def with_dialogs(application: Application) -> QPixmap:
    """The window with the dialogs that stand in front of it, which are windows of their own."""
    picture = application.window.grab()
    painter = QPainter(picture)
    for dialog in application.window.findChildren(QDialog):
        if dialog.isVisible():
            place = picture.rect().center() - dialog.rect().center()
            painter.fillRect(picture.rect(), QColor(0, 0, 0, 60))
            painter.drawPixmap(place, dialog.grab())
    for popup in QApplication.topLevelWidgets():
        if isinstance(popup, Popup) and popup.isVisible():
            painter.drawPixmap(application.window.mapFromGlobal(popup.pos()), popup.grab())
    painter.end()
    return picture


@contextmanager
def started(theme: str, size: tuple[int, int]) -> Iterator[Application]:
    with tempfile.TemporaryDirectory(prefix="stemmata-shots-") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        os.environ["HOME"] = str(home)
        application = build(["--profile", str(Path(folder) / "profile")], environment={})
        try:
            application.gui.theme.set_scheme("light" if theme == "light" else "dark")
            application.window.resize(*size)
            application.window.show()
            settled(application)
            yield application
        finally:
            application.close()


if __name__ == "__main__":
    sys.exit(main())
