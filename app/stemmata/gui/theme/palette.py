"""The palette that the Fusion style paints with where the style sheet is silent."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette

from stemmata.gui.theme.tokens import Tokens

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
    palette = QPalette()
    for role, name in ROLES.items():
        palette.setColor(role, QColor(tokens.colors[name]))
    for role, name in DISABLED.items():
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(tokens.colors[name]))
    return palette
