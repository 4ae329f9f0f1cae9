"""Storage of chats: drafts, queued messages, runs and partial replies.

Owns those tables; never entries.
"""
