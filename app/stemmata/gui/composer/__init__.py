"""Where messages are written: editor, attachments, queue, pickers, commands, consent, the state of the run.

Owns the text until it is sent; never the run.
"""
