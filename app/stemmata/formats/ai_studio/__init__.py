"""The chats of Google AI Studio, which it keeps as files in Google Drive.

Owns the reading of these files; they are never written.
"""
