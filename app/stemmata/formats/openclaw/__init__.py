"""OpenClaw (formerly Clawdbot and Moltbot): pi sessions in its own folders.

This package reads the index of conversations; the package `pi` reads the records.
"""
