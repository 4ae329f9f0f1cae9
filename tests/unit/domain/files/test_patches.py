from __future__ import annotations

from stemmata.domain.files.patches import (
    PatchChunk,
    PatchKind,
    numbered_diff,
    patched,
    patched_files,
    reported_hunks,
)
from stemmata.domain.files.state import Hunk

PATCH = """noise
*** Begin Patch
lost
*** Add File: new.txt
+one
+
*** Update File: old.py
*** Move to: moved.py
@@ def f():
 a
-b
+c
@@
-last
*** End of File
*** Delete File: gone.txt
*** Update File: bare.py
*** End Patch
"""


def test_a_patch_has_sections_and_chunks() -> None:
    added, updated, deleted, bare = patched_files(PATCH)
    assert (added.kind, added.path, added.text) == (PatchKind.ADD, "new.txt", "one\n\n")
    assert (updated.kind, updated.path, updated.moved) == (PatchKind.UPDATE, "old.py", "moved.py")
    assert updated.chunks == [
        PatchChunk("def f():", ("a", "b"), ("a", "c")),
        PatchChunk("", ("last",), (), at_end=True),
    ]
    assert (deleted.kind, deleted.path) == (PatchKind.DELETE, "gone.txt")
    assert bare.chunks == []


def test_what_is_no_patch_has_no_sections() -> None:
    assert patched_files("text") == []
    assert patched_files("*** Begin Patch\nnothing") == []


def test_chunks_are_replaced_in_order() -> None:
    lines = "a x b a x c x".split()
    assert patched(lines, [PatchChunk("", ("x",), ("1",)), PatchChunk("", ("x",), ("2",))]) == "a 1 b a 2 c x".split()
    assert patched(lines, [PatchChunk("b", ("x",), ("1", "2"))]) == "a x b a 1 2 c x".split()
    assert patched(lines, [PatchChunk("", ("x",), (), at_end=True)]) == "a x b a x c".split()
    assert patched(lines, [PatchChunk("", ("a",), ("y",), at_end=True)]) == "y x b a x c x".split()
    assert patched(lines, [PatchChunk("", (), ("end",))]) == [*lines, "end"]


def test_a_chunk_that_is_not_found_is_told() -> None:
    assert patched(["a"], [PatchChunk("", ("x",), ("y",))]) is None
    assert patched(["a"], [PatchChunk("no", ("a",), ("y",))]) is None


def test_the_numbered_diff_of_pi_is_read() -> None:
    diff = "      ...\n   9 a\n- 10 b\n+ 10 c\n+ 11 d\n  11 e\n      ...\n- 20 x\n      ..."
    assert numbered_diff(diff) == [Hunk(9, ("a", "b", "e"), ("a", "c", "d", "e")), Hunk(20, ("x",), ())]
    assert numbered_diff("+ 1 only") == []
    assert numbered_diff("--- a\n+++ b") == []
    assert numbered_diff(" 1 a\n 3 c") == []  # these are not the numbers before the change
    assert numbered_diff("") == []


def test_the_structured_patch_of_claude_code_is_read() -> None:
    hunk = {"oldStart": 3, "lines": [" a", "-b", "+c", "\\ No newline at end of file"]}
    assert reported_hunks([hunk, "noise"]) == [Hunk(3, ("a", "b"), ("a", "c"))]
    for damaged in ({"oldStart": "3", "lines": []}, {"oldStart": 0, "lines": [" a"]}, {"oldStart": 1},
                    {"oldStart": 1, "lines": ["+a"]}):  # fmt: skip
        assert reported_hunks([hunk, damaged]) == []
    assert reported_hunks(None) == []
