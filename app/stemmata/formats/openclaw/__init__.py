"""OpenClaw, once Clawdbot and Moltbot: pi sessions in folders of its own.

Owns the index of conversations; the records are pi's.
"""
