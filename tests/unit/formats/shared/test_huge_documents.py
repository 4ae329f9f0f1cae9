"""Files that are larger than what a reader holds in memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stemmata.domain.errors import UnreadableSourceError
from stemmata.formats.amp.reader import Amp
from stemmata.formats.cline.reader import Cline
from stemmata.formats.continue_dev.reader import Continue
from stemmata.formats.gemini.reader import Gemini
from stemmata.formats.vscode_chat.reader import VscodeChat

HUGE = 37 << 30


@pytest.mark.parametrize("reader", [Amp, Cline, Continue, Gemini, VscodeChat])
def test_a_document_of_37_gb_is_refused_at_once(reader: type, tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_bytes(b'{"sessionId": "a", "messages": [')
    os.truncate(path, HUGE)  # sparse: it takes no room
    with pytest.raises(UnreadableSourceError, match="larger than 256 MB"):
        list(reader().read(path, None))
