"""Sixty things that people do, with the steps of each by mouse and by keyboard, here and in two other tools.

`table.py` lists them, `test_tasks.py` in the journeys plays our steps in the real window, and
`python -m tests.tasks` writes the page `docs/tasks.md` from the same list.
"""
