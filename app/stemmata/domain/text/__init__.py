"""Text as people and models read it: phrases for translation, plain text, tags, differences of words.

Owns single strings; never knows what an entry or a session is.
"""
