"""Builds all parts and connects them. The only room that imports every layer; nothing but `__main__` imports it.

`core` opens an archive; `window` and `commands` are the two entrances; `parts` is loaded after the first paint.
"""
