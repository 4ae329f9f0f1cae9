"""`python -m tests.shots [name …]`: the pictures of the documentation, taken from the running program.

Every scene is taken dark and light, at 1440 × 900 and at 1024 × 700, into `docs/images`; the main ones also with text
of twice the size. Two processes share the work. Ends with 1 where the pictures are larger together than they may be.
The scenes of `rooms.py` are taken only by name, into another folder. `LC_ALL=de_DE.UTF-8` takes pictures in German.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QDialog

from stemmata.bootstrap.window import Application, build
from stemmata.gui.theme.theme import Scheme
from stemmata.gui.widgets.popup import Popup
from tests.shots.chatting import CHATTING
from tests.shots.palette import FINE, MOST, reduced
from tests.shots.rooms import PREPARED_ROOMS, ROOMS
from tests.shots.scenes import PREPARED, SCENES, settled
from tests.shots.states import STATES

Size = tuple[int, int]

SIZES: dict[str, tuple[Size, int]] = {
    "": ((1440, 900), 100),
    "-small": ((1024, 700), 100),
    "-200": ((1440, 900), 200),
}
THEMES: tuple[Scheme, ...] = ("dark", "light")
PUBLISHED = {**SCENES, **CHATTING, **STATES}
ALL = {**PUBLISHED, **ROOMS}
ARCHIVES = {**PREPARED, **PREPARED_ROOMS}
OWN_THEME = {"high-contrast"}  # is a theme itself
SHADOWED = {"palette"}
COMPRESSED = 1  # Qt's measure of how hard a PNG is compressed; 0 would be its default
MOST_BYTES = 12_000_000  # of all pictures together
JOBS = 2
IMAGES = Path(__file__).parents[2] / "docs" / "images"


def main() -> int:
    parser = argparse.ArgumentParser(description="Take the pictures of the documentation.")
    parser.add_argument(
        "names", nargs="*", choices=[*ALL, []], help="which scenes; those of the documentation by default"
    )
    parser.add_argument("--out", type=Path, default=IMAGES, help="where the pictures go")
    parser.add_argument("--scale", type=int, help="the text size in percent; 100 and 200 by default")
    parser.add_argument("--jobs", type=int, default=JOBS, help=f"how many processes; {JOBS} by default")
    chosen = parser.parse_args()
    if chosen.out == IMAGES and (chosen.scale or ROOMS.keys() & set(chosen.names)):
        parser.error("these pictures are not of the documentation: choose a folder with --out")
    chosen.out.mkdir(parents=True, exist_ok=True)
    names = chosen.names or [*PUBLISHED]
    if chosen.jobs == 1:
        for name in names:
            take_all(name, chosen.out, chosen.scale)
        return 0
    failed = shared(names, chosen.out, chosen.jobs, chosen.scale)
    if not chosen.names and not failed:
        tidy(chosen.out)
    size = sum(path.stat().st_size for path in chosen.out.glob("*.png"))
    sys.stdout.write(f"{size / 1_000_000:.1f} MB\n")
    return int(failed or size > MOST_BYTES)


def shared(names: Sequence[str], out: Path, jobs: int, scale: int | None) -> bool:
    """The work in so many processes; whether one of them failed."""
    command = [sys.executable, "-m", "tests.shots", "--jobs", "1", "--out", str(out)]
    command += ["--scale", str(scale)] if scale else []
    # The names are this program's own and come from a fixed list.
    running = [subprocess.Popen([*command, *names[at::jobs]]) for at in range(min(jobs, len(names)))]
    codes = [process.wait() for process in running]  # each is waited for
    return any(codes)


def tidy(out: Path) -> None:
    """Delete the pictures of scenes that no longer exist."""
    wanted = {
        f"{name}{theme}{suffix}.png" for name in PUBLISHED for suffix in suffixes(name) for theme in themes(name)
    }
    for path in out.glob("*.png"):
        if path.name not in wanted:
            path.unlink()


def suffixes(name: str) -> list[str]:
    return [suffix for suffix, (_size, scale) in SIZES.items() if scale == 100 or name in SCENES]


def themes(name: str) -> dict[str, Scheme]:
    """Return the themes by their suffix in a picture's name."""
    return {"": "dark"} if name in OWN_THEME else {f"-{theme}": theme for theme in THEMES}


def take_all(name: str, out: Path, chosen_scale: int | None = None) -> None:
    """The pictures of one scene: a program for each size, in a folder of its own; its theme changes meanwhile."""
    for suffix in suffixes(name):
        size, scale = SIZES[suffix]
        with started(size, chosen_scale or scale) as application:
            ARCHIVES.get(name, ARCHIVES[""])(application)
            settled(application)
            ALL[name](application)
            for mark, theme in themes(name).items():
                if name not in OWN_THEME:
                    application.gui.theme.set_scheme(theme)
                settled(application)
                save(application, out / f"{name}{mark}{suffix}.png", FINE if name in SHADOWED else MOST)


def save(application: Application, path: Path, colors: int) -> None:
    if not reduced(with_dialogs(application).toImage(), colors).save(str(path), quality=COMPRESSED):
        raise OSError(f"{path} could not be written")
    sys.stdout.write(f"{path.name}\n")
    sys.stdout.flush()


def with_dialogs(application: Application) -> QPixmap:
    """The window with the dialogs that stand in front of it, which are windows of their own."""
    picture = application.window.grab()
    painter = QPainter(picture)
    for dialog in application.window.findChildren(QDialog):
        if dialog.isVisible():
            place = picture.rect().center() - dialog.rect().center()
            painter.fillRect(picture.rect(), QColor(0, 0, 0, 60))
            painter.drawPixmap(place, dialog.grab())
            painter.setPen(application.gui.theme.color("line"))  # as the frame that a desktop gives it
            painter.drawRect(QRect(place, dialog.size()).adjusted(-1, -1, 0, 0))
    for popup in QApplication.topLevelWidgets():
        if isinstance(popup, Popup) and popup.isVisible():
            painter.drawPixmap(application.window.mapFromGlobal(popup.pos()), popup.grab())
    painter.end()
    return picture


@contextmanager
def started(size: Size, scale: int) -> Iterator[Application]:
    with tempfile.TemporaryDirectory(prefix="stemmata-shots-") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        os.environ["HOME"] = str(home)
        application = build(["--profile", str(Path(folder) / "profile")], environment={})
        try:
            application.gui.theme.set_scheme(THEMES[0])
            application.gui.theme.set_scale(scale)
            application.window.resize(*size)
            application.window.show()
            settled(application)
            yield application
        finally:
            application.close()


if __name__ == "__main__":
    sys.exit(main())
