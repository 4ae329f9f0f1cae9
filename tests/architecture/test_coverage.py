"""What the measure of covered lines and branches leaves out."""

from __future__ import annotations

import re
import tomllib

from tests.architecture.sources import ROOT, sources

COVERED = ("domain", "formats", "services", "store")
_MARK = re.compile(r"#\s*pragma:\s*no (?:cover|branch)(?P<why> - \S.*)?")


def test_the_parts_below_the_window_are_measured_whole() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["coverage"]
    assert settings["run"] == {"branch": True, "source": [f"app/stemmata/{name}" for name in COVERED]}
    assert settings["report"].keys() <= {"precision", "show_missing", "skip_covered"}, "nothing is left out by a rule"


def test_a_line_that_is_left_out_says_why() -> None:
    silent = [
        f"{source}:{number}"
        for source in sources("app")
        for number, line in enumerate(source.text.splitlines(), 1)
        if (mark := _MARK.search(line)) and not mark["why"]
    ]
    assert not silent
