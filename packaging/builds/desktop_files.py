"""Writes those files for desktops that follow from the program: man page, completions, icons.

    python -m builds.desktop_files [icons]    write the texts, or the texts and the icons, to resources/desktop/share

They are committed, since the wheel and *Install for this user* contain them; a test compares them with the program.
"""

from __future__ import annotations

import datetime
import html
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from stemmata import APPLICATION_ID, __version__
from stemmata.assets import resource
from stemmata.cli.program import program

SHARE = resource("desktop", "share")
SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)  # pixels
COMPLETIONS: dict[str, type[ShellComplete]] = {
    "bash-completion/completions/stemmata": BashComplete,
    "zsh/site-functions/_stemmata": ZshComplete,
    "fish/vendor_completions.d/stemmata.fish": FishComplete,
}


def texts() -> dict[str, str]:
    """Return the generated text files by their paths below `share`."""
    completions = {
        path: shell(program, {}, "stemmata", "_STEMMATA_COMPLETE").source() for path, shell in COMPLETIONS.items()
    }
    return {"man/man1/stemmata.1": manual(), **{path: f"{text.strip()}\n" for path, text in completions.items()}}


# -- the man page ----------------------------------------------------------------------------------------------------


def manual() -> str:
    """Return the man page, from the commands and their help."""
    return "\n".join([*_head(), *_options(program), *_commands(), *_tail()]) + "\n"


def _head() -> Iterator[str]:
    about, *more = (program.help or "").split("\n\n")
    released = datetime.date.fromisoformat(released_on()).strftime("%B %Y")
    yield f'.TH STEMMATA 1 "{released}" "Stemmata {__version__}" "User commands"'
    yield from (".SH NAME", f"stemmata \\- {_roff(about.strip().rstrip('.'))}")
    yield from (".SH SYNOPSIS", ".B stemmata", "[\\fIOPTION\\fR]... [\\fIFILE\\fR|\\fILINK\\fR|\\-]", ".br")
    yield from (".B stemmata", "[\\fIOPTION\\fR]... \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...")
    yield ".SH DESCRIPTION"
    for text in more:
        yield from (".PP", _roff(text))
    yield ".SH OPTIONS"


def _options(command: click.Command, *, leave_out: frozenset[str] = frozenset()) -> Iterator[str]:
    context = click.Context(command)
    for parameter in command.params:
        told = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
        if told is not None and parameter.name not in leave_out:
            yield from (".TP", f"\\fB{_roff(told[0])}\\fR", _roff(told[1]))


def _commands() -> Iterator[str]:
    yield ".SH COMMANDS"
    everywhere = frozenset(parameter.name or "" for parameter in program.params)
    for name in sorted(program.commands):
        command = program.commands[name]
        usage = " ".join(command.collect_usage_pieces(click.Context(command)))
        yield from (f'.SS "stemmata {_roff(name)} {_roff(usage)}"', _roff(command.help or ""))
        yield from _options(command, leave_out=everywhere)


def _tail() -> Iterator[str]:
    yield from (".SH EXIT STATUS", "0: done. 1: an error, which the message explains. 2: wrong usage.")
    yield "3: done, but some of the input was skipped."
    yield ".SH ENVIRONMENT"
    yield from (".TP", "\\fBSTEMMATA_PROFILE\\fR", "The folder of the profile, as \\-\\-profile.")
    yield from (".TP", "\\fBSTEMMATA_STORE\\fR", "The archive, as \\-\\-store.")
    yield ".SH FILES"
    yield from (".TP", "\\fI~/.local/share/stemmata/archive.db\\fR", "The archive.")
    yield from (".TP", "\\fI~/.config/stemmata/settings.toml\\fR", "The settings.")
    yield from (".TP", "\\fI~/.local/state/stemmata/\\fR", "The log, the crash file and the layout of the window.")


def _roff(text: str) -> str:
    """Return the text as one line of roff, where nothing is taken for a request."""
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{line}" if line.startswith((".", "'")) else line


def released_on() -> str:
    """Return the date of this version from the metadata for software centres."""
    metadata = (SHARE / "metainfo" / f"{APPLICATION_ID}.metainfo.xml").read_text(encoding="utf-8")
    found = re.search(rf'<release version="{re.escape(__version__)}" date="([\d-]+)"', metadata)
    assert found, "this version is missing in the metadata"
    return found[1]


# -- pictures for software centres -----------------------------------------------------------------------------------

PICTURES_AT = "STEMMATA_PICTURES_AT"  # variable of the build: the address of the folder docs/images
SCREENSHOTS = {  # pictures of docs/images, the first one is the default
    "main-dark.png": "A session as a tree, its transcript, and what the model sees",
    "compaction-dark.png": "Compaction with a preview and a movable cut",
    "main-light.png": "The same in the light theme",
}


def copy_share(to: Path, address: str | None = None) -> None:
    """Copy the files for desktops. With the address of the pictures, the metadata names them.

    The committed metadata names none, since the project owns no address yet.
    """
    shutil.copytree(SHARE, to)
    address = address or os.environ.get(PICTURES_AT)
    if address:
        metadata = to / "metainfo" / f"{APPLICATION_ID}.metainfo.xml"
        metadata.write_text(with_screenshots(metadata.read_text(encoding="utf-8"), address), encoding="utf-8")


def with_screenshots(metadata: str, address: str) -> str:
    """Return the metadata with the pictures that lie at the address."""
    lines = ["  <screenshots>"]
    for at, (name, caption) in enumerate(SCREENSHOTS.items()):
        default = ' type="default"' if at == 0 else ""
        lines += [f"    <screenshot{default}>", f"      <caption>{html.escape(caption)}</caption>"]
        lines += [f"      <image>{html.escape(address.rstrip('/'))}/{name}</image>", "    </screenshot>"]
    block = "\n".join([*lines, "  </screenshots>"])
    return metadata.replace("  <releases>", f"{block}\n  <releases>")


# -- icons -----------------------------------------------------------------------------------------------------------


def draw_icons() -> None:
    """Draw the icon at the sizes that desktops ask for: desktops blur icons that they scale."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QGuiApplication, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    _application = QGuiApplication([])
    icons = SHARE / "icons" / "hicolor"
    drawing = QSvgRenderer(str(icons / "scalable" / "apps" / f"{APPLICATION_ID}.svg"))
    for side in SIZES:
        image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        drawing.render(painter)
        painter.end()
        path = icons / f"{side}x{side}" / "apps" / f"{APPLICATION_ID}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        image.save(str(path))


def main() -> None:
    """Write the texts, and the icons when the argument `icons` is given."""
    for name, text in texts().items():
        path: Path = SHARE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if "icons" in sys.argv[1:]:
        draw_icons()


if __name__ == "__main__":
    main()
