"""The page of files: the files that the branches of a session read and changed, and the text of a file at each step.

It shows what `services.sessions.files` computes, and reads no file itself.
"""
