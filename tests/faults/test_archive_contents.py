"""However an import is made faster: what it stores stays as it is."""

from __future__ import annotations

from tests.faults.archive_contents import contents_of, expected, sources


def test_an_import_stores_what_it_always_stored() -> None:
    known = expected()  # a new source is added when the numbers are written anew
    found = {name: contents_of(files) for name, files in sources() if name in known}
    assert found == known, "to renew after a change of what is stored: python -m tests.faults.archive_contents"
