"""How much of a conversation a summary keeps: planted facts, their score, and simple summaries to compare with.

Nothing here calls a model or asks one for its opinion.
"""
