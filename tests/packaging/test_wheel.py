"""What people install: the wheel holds the program and everything it ships, and starts from an empty folder."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from stemmata import __version__

ROOT = Path(__file__).parents[2]


def python(*arguments: str | Path, cwd: Path = ROOT, path: Path | None = None) -> str:
    """Return the output of a fresh interpreter. `path` is the folder from which it imports first."""
    code = [sys.executable, *map(str, arguments)]
    environment = {"PYTHONPATH": str(path)} if path else {}
    run = subprocess.run(code, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    python("-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site-packages")
    python("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", folder, wheel)
    return folder


def shipped() -> set[str]:
    """Return the names that the wheel must contain, from the checkout."""
    code = {
        path.relative_to(ROOT / "app").as_posix()
        for path in (ROOT / "app").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    resources = {f"stemmata/{path.relative_to(ROOT).as_posix()}" for path in resource_files()}
    return code | resources


def resource_files() -> list[Path]:
    return [path for path in (ROOT / "resources").rglob("*") if path.is_file()]


def test_the_wheel_holds_the_program_and_all_resources_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name for name in names if ".dist-info/" not in name} == shipped()
    assert {f"stemmata-{__version__}.dist-info/{name}" for name in ("METADATA", "licenses/LICENSE")} <= names


def test_the_installed_program_starts(installed: Path, tmp_path: Path) -> None:
    out = python("-m", "stemmata", "--version", cwd=tmp_path, path=installed)
    assert out == f"stemmata {__version__}\n"


def test_the_installed_program_finds_its_resources(installed: Path, tmp_path: Path) -> None:
    found = python("-c", "from stemmata.assets import resource; print(resource())", cwd=tmp_path, path=installed)
    folder = Path(found.strip())
    assert folder == installed / "stemmata" / "resources"
    for file in resource_files():
        assert (folder / file.relative_to(ROOT / "resources")).read_bytes() == file.read_bytes()


def test_the_checkout_finds_its_own_resources(tmp_path: Path) -> None:
    found = python("-c", "from stemmata.assets import resource; print(resource())", cwd=tmp_path, path=ROOT / "app")
    assert Path(found.strip()) == ROOT / "resources"


def test_the_source_archive_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    python("-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path / "sdist")
    (archive,) = (tmp_path / "sdist").iterdir()
    python("-m", "tarfile", "-e", archive, tmp_path / "source")
    (source,) = (tmp_path / "source").iterdir()
    python("-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "again", cwd=source)
    (again,) = (tmp_path / "again").iterdir()
    assert zipfile.ZipFile(again).namelist() == zipfile.ZipFile(wheel).namelist()
