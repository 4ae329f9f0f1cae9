"""Stemmata: the session trees of your coding agents and model chats, in one local archive."""

__version__ = "0.1.0"
APPLICATION_ID = "desktop.stemmata.Stemmata"  # names the files in resources/desktop/share, see decision 32
