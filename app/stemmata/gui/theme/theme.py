"""The theme that every widget receives: colours, fonts and icons by name, and a signal for changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Literal, NamedTuple

from PySide6.QtCore import QObject, Qt, QTemporaryDir, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from stemmata.assets import resource
from stemmata.gui.theme import metrics
from stemmata.gui.theme.covers import Covers
from stemmata.gui.theme.fonts import Fonts
from stemmata.gui.theme.held_clicks import HeldClicks
from stemmata.gui.theme.icons import IconSet
from stemmata.gui.theme.restyling import in_turns, restyle

if TYPE_CHECKING:
    from PySide6.QtGui import QIcon, QPixmap


class Tokens(NamedTuple):
    """A colour scheme. `colors` maps a token to `#rrggbb`."""

    name: str
    dark: bool
    colors: Mapping[str, str]


def load(name: str) -> Tokens:
    """Load the scheme from this theme file: dark, light or high-contrast."""
    content = json.loads(resource("themes", f"{name}.json").read_text(encoding="utf-8"))
    return Tokens(name, content["dark"], content["colors"])


PICTURES = {
    "check": ("check", "on_accent"),
    "partial": ("minus", "on_accent"),
    "dot": ("dot", "on_accent"),
    "menu_check": ("check", "accent"),
    "clear": ("close", "dim"),
    "arrow_down": ("chevron-down", "dim"),
    "opens": ("triangle-down", "dim"),  # as "▾" on the other buttons with a menu
    "arrow_up": ("chevron-up", "dim"),
    "arrow_right": ("chevron-right", "dim"),
}  # placeholder: icon, token


class Stylesheet:
    """Render the style sheet from its template. One instance serves every theme."""

    def __init__(self) -> None:
        self._folder = QTemporaryDir()
        self._template = Template(resource("themes", "stemmata.qss").read_text(encoding="utf-8"))

    def render(self, tokens: Tokens, fonts: Fonts, icons: IconSet, scale: int, *, mirrored: bool = False) -> str:
        """Return the style sheet; `mirrored` for right-to-left layout. Raises KeyError for an unknown placeholder."""
        first, last = ("right", "left") if mirrored else ("left", "right")
        return self._template.substitute(
            tokens.colors,
            side_first=first,
            side_last=last,
            **self._pictures(tokens, icons),
            **_sizes(scale),
            **_font_facts(fonts),
        )

    def _pictures(self, tokens: Tokens, icons: IconSet) -> dict[str, str]:
        out: dict[str, str] = {}
        for placeholder, (icon, color) in PICTURES.items():
            path = Path(self._folder.path()) / f"{tokens.name}-{placeholder}.svg"
            if not path.exists():
                path.write_bytes(icons.svg(icon, tokens.colors[color]))
            out[f"picture_{placeholder}"] = f'url("{path.as_posix()}")'
        return out


def _sizes(scale: int) -> dict[str, str]:
    """Return the placeholders `size_control`, `space_4`, … as scaled pixels with unit."""
    out = {
        f"size_{name.lower()}": f"{round(value * scale / 100)}px"
        for name, value in vars(metrics).items()
        if name.isupper() and isinstance(value, int)
    }
    out |= {f"space_{step}": f"{round(value * scale / 100)}px" for step, value in enumerate(metrics.SPACE)}
    thin, around = round(metrics.THIN_BAR * scale / 100), round(metrics.SPACE[3] * scale / 100)
    border = round(metrics.BORDER * scale / 100)
    handle = thin + 2 * around  # Qt ignores a corner radius of more than half the side
    return out | {
        "size_handle": f"{handle - 2 * border}px",
        "radius_handle": f"{handle // 2}px",
        "radius_thin_bar": f"{thin // 2}px",
    }


def _font_facts(fonts: Fonts) -> dict[str, str]:
    roles = ("ui", "small", "field", "heading", "code")
    out = {f"font_{role}": f"{fonts.font(role).pixelSize()}px" for role in roles}
    return out | {"family_code": fonts.code_family}


Role = QPalette.ColorRole

ROLES = {
    Role.Window: "panel",
    Role.WindowText: "text",
    Role.Base: "bg",
    Role.AlternateBase: "panel",
    Role.Text: "text",
    Role.Button: "raised",
    Role.ButtonText: "text",
    Role.BrightText: "bad",
    Role.ToolTipBase: "raised",
    Role.ToolTipText: "text",
    Role.PlaceholderText: "faint",
    Role.Highlight: "selection",
    Role.HighlightedText: "text",
    Role.Link: "accent",
    Role.LinkVisited: "assistant",
    Role.Accent: "accent",
    Role.Light: "line",
    Role.Midlight: "line",
    Role.Mid: "line",
    Role.Dark: "line",
    Role.Shadow: "bg",
}
DISABLED = {Role.WindowText: "faint", Role.Text: "faint", Role.ButtonText: "faint"}


def palette_of(tokens: Tokens) -> QPalette:
    """Return the Qt palette of a colour scheme."""
    palette = QPalette()
    for role, name in ROLES.items():
        palette.setColor(role, QColor(tokens.colors[name]))
    for role, name in DISABLED.items():
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(tokens.colors[name]))
    return palette


Scheme = Literal["light", "dark", "high-contrast", "system"]
SMALLEST_SCALE, LARGEST_SCALE = 100, 200
NARROWEST_TAB, WIDEST_TAB = 1, 16
STYLE = ("-style", "fusion")  # passed when the application is created; setting the style later is slower


class Theme(QObject):
    """Colours, fonts and icons. Requires a QGuiApplication.

    `apply` styles the whole application and restyles it after changes. With `takes_turns`, a change is made in
    several turns of the event loop, since styling hundreds of widgets takes longer than a frame. The windows show
    their old picture meanwhile, and clicks wait for the new one.
    """

    changed = Signal()
    room_changed = Signal()  # after `changed`, in a turn of its own: widths follow the size of text
    texts_changed = Signal()  # after `room_changed`, in a turn of its own: views lay out their texts anew
    code_changed = Signal()  # the way in which code is laid out

    def __init__(self, scheme: Scheme = "system", scale: int = 100, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._scheme: Scheme = scheme
        self._scale = _bounded(scale)
        self._tokens = load(self._chosen())
        self._families = ("", "")  # chosen for the window and for code, "" for the usual ones
        self._fonts = Fonts(self._scale)
        self._icons = IconSet()
        self._drawn: dict[tuple[str, str], None] = {}  # names and colours of the icons that are in use
        self._tab_width = 4
        self._wraps_code = True
        self._colors: dict[str, QColor] = {}
        self._stylesheet: Stylesheet | None = None
        self.takes_turns = False
        self._turns: Iterator[None] | None = None  # the turns of a change that are left
        self._moves = False  # whether the change moves widgets or text
        self._frozen: list[QWidget] = []  # windows that paint nothing until the change is complete
        self._clicks = HeldClicks(self)
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self.take_turn)
        self.start_turn: Callable[[], object] = self._next.start  # takes the next turn of a change, later
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._on_system_changed)
        hints.accessibility().contrastPreferenceChanged.connect(self._on_system_changed)

    @property
    def dark(self) -> bool:
        """Whether the scheme is dark."""
        return self._tokens.dark

    @property
    def scheme(self) -> Scheme:
        """The selected scheme, which may be "system"; `tokens.name` is the scheme in use."""
        return self._scheme

    @property
    def tokens(self) -> Tokens:
        """The colour scheme in use."""
        return self._tokens

    @property
    def scale(self) -> int:
        """Size of text and rows, in percent."""
        return self._scale

    @property
    def is_changing(self) -> bool:
        """Whether turns of a change are left."""
        return self._turns is not None

    @property
    def tab_width(self) -> int:
        """Width of a tab in code, in spaces."""
        return self._tab_width

    @property
    def wraps_code(self) -> bool:
        """Whether long lines of code wrap; otherwise they are scrolled sideways."""
        return self._wraps_code

    def color(self, name: str) -> QColor:
        """Return the colour of a token. The object is shared: copy it before changing it. Raises KeyError."""
        color = self._colors.get(name)
        if color is None:
            color = self._colors[name] = QColor(self._tokens.colors[name])
        return color

    def font(self, role: str) -> QFont:
        """Return the font of a role of `fonts.ROLES`. Raises KeyError."""
        return self._fonts.font(role)

    def icon(self, name: str, color: str = "dim") -> QIcon:
        """Return an icon of `resources/icons` in the token's colour. Raises FileNotFoundError."""
        self._drawn[name, color] = None
        colors = self._tokens.colors
        active = colors["text"] if color == "dim" else colors[color]
        size = self.px(metrics.ICON)
        return self._icons.icon(name, colors[color], active=active, disabled=colors["disabled"], size=size)

    def pixmap(self, name: str, color: str = "dim", *, size: int = metrics.ICON, ratio: float = 1.0) -> QPixmap:
        """Return an icon as a pixmap. `size` is in unscaled pixels, `ratio` is the device pixel ratio."""
        return self._icons.pixmap(name, self._tokens.colors[color], self.px(size), ratio)

    def px(self, size: float) -> int:
        """Return a size of `metrics` at the current scale."""
        return round(size * self._scale / 100)

    def set_scheme(self, scheme: Scheme) -> None:
        """Select a scheme."""
        self._scheme = scheme
        self._choose()

    def set_scale(self, percent: int) -> None:
        """Set the size of text and rows, from 100 to 200 %."""
        if _bounded(percent) != self._scale:
            self._scale = _bounded(percent)
            self._fonts = Fonts(self._scale, *self._families)
            self._announce()

    def set_families(self, ui: str, code: str) -> None:
        """Choose the families of the window and of code; "" or one that is not installed for the usual one."""
        if (ui, code) != self._families:
            self._families = ui, code
            self._fonts = Fonts(self._scale, ui, code)
            self._announce()

    def set_code(self, *, tab_width: int | None = None, wraps: bool | None = None) -> None:
        """Set the width of a tab in code, from 1 to 16 spaces, and whether long lines wrap; None changes nothing."""
        width = self._tab_width if tab_width is None else min(max(tab_width, NARROWEST_TAB), WIDEST_TAB)
        wanted = width, self._wraps_code if wraps is None else wraps
        if wanted != (self._tab_width, self._wraps_code):
            self._tab_width, self._wraps_code = wanted
            self.code_changed.emit()

    def apply(self, application: QApplication) -> None:
        """Set palette, font and style sheet of the application, which was created with `STYLE`.

        An old style sheet is removed first: Qt needs three times as long to replace one.
        """
        if application.styleSheet():
            application.setStyleSheet("")
        self._style(application)

    def _style(self, application: QApplication) -> None:
        """Set palette, font and style sheet of an application without a style sheet."""
        application.setPalette(palette_of(self._tokens))
        application.setFont(self.font("ui"))
        application.setStyleSheet(self._sheet(application))

    def _sheet(self, application: QApplication) -> str:
        self._stylesheet = self._stylesheet or Stylesheet()
        mirrored = application.layoutDirection() is Qt.LayoutDirection.RightToLeft
        return self._stylesheet.render(self._tokens, self._fonts, self._icons, self._scale, mirrored=mirrored)

    def _choose(self) -> None:
        name = self._chosen()
        if name != self._tokens.name:
            self._tokens = load(name)
            self._colors.clear()
            self._announce(moves=False)

    def _chosen(self) -> str:
        if self._scheme != "system":
            return self._scheme
        hints = QGuiApplication.styleHints()
        if hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast:
            return "high-contrast"
        return "light" if hints.colorScheme() == Qt.ColorScheme.Light else "dark"

    def _announce(self, *, moves: bool = True) -> None:
        """Style the application as the theme says; `moves` unless all stays where it is."""
        application = QApplication.instance()
        if self._stylesheet is not None and isinstance(application, QApplication):
            if self.takes_turns:
                self._moves = moves or (self._moves and self._turns is not None)
                self._freeze(application)
                self._turns = self._change(application)
                self.start_turn()
                return
            self.apply(application)
        for signal in (self.changed, self.room_changed, self.texts_changed):
            signal.emit()

    def _freeze(self, application: QApplication) -> None:
        """Stop the painting of the windows, so that half of their new style is never visible."""
        shown = filter(QWidget.isVisible, application.topLevelWidgets())
        self._frozen += [window for window in shown if window not in self._frozen]
        self._clicks.hold(self._frozen)
        for window in filter(isValid, self._frozen):
            window.setUpdatesEnabled(False)

    def _change(self, application: QApplication) -> Iterator[None]:
        """Change the looks of the application; each step is made in a turn of the event loop."""
        sheet = self._sheet(application)
        yield
        yield from in_turns(self.icon(*icon) for icon in [*self._drawn])
        yield
        yield from in_turns(restyle(application, palette_of(self._tokens), self.font("ui"), sheet))
        for signal in (self.changed, self.room_changed, self.texts_changed):
            yield
            signal.emit()
        yield
        with closing(Covers(self._frozen)) as covers:  # also when another change takes the place of this one
            yield from covers.take()
            covers.show()
            self._frozen = []
            self._clicks.deliver(moved=self._moves)
            yield
            yield from covers.remove()

    def take_turn(self) -> None:
        """Take the next turn of a change; the event loop does so until all are taken."""
        turns = self._turns
        if turns is not None:
            ended = next(turns, self) is self
            if ended and self._turns is turns:
                self._turns = None
            if self._turns is not None:
                self.start_turn()

    def _on_system_changed(self) -> None:
        self._choose()


def _bounded(percent: int) -> int:
    return min(max(percent, SMALLEST_SCALE), LARGEST_SCALE)


def scheme_of(name: str) -> Scheme:
    """Return the scheme of this name; "system" for any other name."""
    match name:
        case "light" | "dark" | "high-contrast":
            return name
    return "system"
