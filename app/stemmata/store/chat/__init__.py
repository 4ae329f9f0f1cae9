"""What chatting keeps: drafts, queued messages, runs and the partial text of replies.

Owns those tables; never entries.
"""
