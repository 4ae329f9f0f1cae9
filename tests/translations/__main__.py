"""Bring the translations in step with the sources: `./packaging/dev translations`."""

from __future__ import annotations

import sys

from tests.translations.files import FOLDER, LANGUAGES, compile_to, unfinished, update


def main() -> int:
    missing = 0
    for code in LANGUAGES:
        path = FOLDER / f"stemmata_{code}.ts"
        update(path, code)
        compile_to(path, path.with_suffix(".qm"))
        left = unfinished(path)
        missing += len(left)
        sys.stdout.write(f"{path.name}: {len(left)} texts to translate\n")
        sys.stdout.writelines(f"    {text}\n" for text in left)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
