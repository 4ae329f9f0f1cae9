"""Files as a session shows them: what tool calls read, wrote and edited, and the text that follows from them.

Nothing here reads a file: a text is known only where a read, a write or an edit of the session contains it.
"""
