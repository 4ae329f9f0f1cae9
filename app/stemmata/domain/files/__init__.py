"""Files as a session shows them: the files that tool calls read and changed, and the text that follows from them.

Nothing here reads a file: a text is known only where a read, a write or an edit of the session contains it.
"""
