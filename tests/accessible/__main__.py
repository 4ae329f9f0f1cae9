"""Write down anew what screen readers are told: `./packaging/dev accessible`."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before anything imports Qt

from stemmata.bootstrap.window import build
from tests.accessible.scenes import SCENES, shown
from tests.accessible.tree import tree

FOLDER = Path(__file__).parents[1] / "data" / "accessible"


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or SCENES:
        with tempfile.TemporaryDirectory(prefix="stemmata-accessible-") as home:
            os.environ["HOME"] = home
            application = build(["--profile", str(Path(home) / "profile")], environment={})
            try:
                shown(application)
                text = tree(SCENES[name](application))
            finally:
                application.close()
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")
        sys.stdout.write(f"{name}.txt\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
