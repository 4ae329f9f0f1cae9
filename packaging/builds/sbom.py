"""The list of all that a frozen program contains, as CycloneDX 1.6."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from builds.frozen import ENVIRONMENT, LOCK
from builds.places import DIST, NAME, VERSION, KnownProblem

LOCKED = re.compile(r"^([a-z0-9.-]+)==([^ ]+)(?: ;[^\\\n]*)?((?: \\\n\s+--hash=sha256:[0-9a-f]{64})+)", re.MULTILINE)
# Runs in the environment of the build: prints the distributions that the program requires, and Python's version.
LIST = """
import json, platform, re, sys
from importlib.metadata import distribution, PackageNotFoundError
from packaging.requirements import Requirement
found, open_ = {}, [(sys.argv[1], "mcp")]
while open_:
    name, extra = open_.pop()
    try:
        made = distribution(name)
    except PackageNotFoundError:
        continue
    key = re.sub(r"[-_.]+", "-", made.metadata["Name"]).lower()
    if key in found and not extra:
        continue
    found[key] = [made.version, made.metadata["License-Expression"] or made.metadata["License"] or ""]
    for line in made.requires or ():
        wish = Requirement(line)
        if wish.marker is None or any(wish.marker.evaluate({"extra": one}) for one in {extra, ""}):
            open_ += [(wish.name, one) for one in wish.extras or [""]]
print(json.dumps({"python": platform.python_version(), "found": found}))
"""


def write_sbom() -> Path:
    """Write the list and return it."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        raise KnownProblem("the environment of the build is missing; build the kind `folder` first.")
    ran = subprocess.run([python, "-c", LIST, NAME], capture_output=True, text=True, check=True)
    told = json.loads(ran.stdout)
    made = DIST / f"stemmata-{VERSION}.cdx.json"
    document = bill(told["python"], told["found"], LOCK.read_text(encoding="utf-8"))
    made.write_text(json.dumps(document, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return made


def bill(python: str, found: dict[str, list[str]], lock: str) -> dict[str, Any]:
    """Return the document: `found` has version and licence by name, `lock` the hashes of the possible files."""
    hashes = {(name, version): re.findall(r"[0-9a-f]{64}", rest) for name, version, rest in LOCKED.findall(lock)}
    unlocked = [name for name, (version, _) in found.items() if name != NAME and (name, version) not in hashes]
    if unlocked:
        raise KnownProblem(f"not of the locked versions: {', '.join(unlocked)}.")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _component(NAME, VERSION, "MIT") | {"type": "application"}},
        "components": [
            {"type": "platform", "name": "CPython", "version": python, "licenses": [{"license": {"id": "PSF-2.0"}}]},
            *_components(found, hashes),
        ],
    }


def _components(found: dict[str, list[str]], hashes: dict[tuple[str, str], list[str]]) -> Iterator[dict[str, Any]]:
    for name, (version, licence) in sorted(found.items()):
        if name != NAME:
            locked = hashes[name, version]
            yield _component(name, version, licence) | {
                "properties": [{"name": "stemmata:locked-sha256", "value": value} for value in locked]
            }


def _component(name: str, version: str, licence: str) -> dict[str, Any]:
    known = {"licenses": [{"expression": licence}]} if re.fullmatch(r"[\w.+() -]{2,60}", licence) else {}
    return {"type": "library", "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}", **known}
