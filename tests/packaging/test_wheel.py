"""What people install: the wheel holds the program and everything it ships, and starts from an empty folder."""

from __future__ import annotations

import email
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from stemmata import __version__
from stemmata.system.guide import PAGES, pictures_of

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


def guide() -> set[str]:
    """Return the names of the pages and pictures of the guide, which the build makes."""
    pages = [f"{name}.html" for name in PAGES]
    return {f"stemmata/resources/docs/{name}" for name in [*pages, *pictures_of(ROOT / "docs")]}


RECORD = "stemmata/commit.txt"  # is missing where there is no git


def test_the_wheel_holds_the_program_and_all_resources_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name for name in names if ".dist-info/" not in name} - {RECORD} == shipped() | guide()
    assert {f"stemmata_desktop-{__version__}.dist-info/{name}" for name in ("METADATA", "licenses/LICENSE")} <= names


def test_the_metadata(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(f"stemmata_desktop-{__version__}.dist-info/METADATA").decode()
    metadata = email.message_from_string(text)
    assert metadata["Name"] == "stemmata-desktop"
    assert metadata["License-Expression"] == "MIT"
    assert "Operating System :: POSIX :: Linux" in metadata.get_all("Classifier", [])
    assert metadata.get_all("Provides-Extra") == ["mcp", "meaning"]
    assert metadata["Project-URL"] is None  # the project owns no address
    described = metadata.get_payload()
    assert isinstance(described, str)
    assert "pipx install stemmata-desktop" in described
    assert not re.findall(r"\]\((?!https://)", described), "links and pictures of the description are absolute"


def test_nothing_tells_anyone_to_install_another_project() -> None:
    """The distribution `stemmata` of the package index belongs to somebody else."""
    pages = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "app").rglob("*.py"),
        ROOT / "packaging/pypi.md",
    ]
    wrong = re.compile(r"(?:pip|pipx|uv tool) install[^\n`]*\bstemmata\b(?!-desktop)")
    assert not [path.name for path in pages if wrong.search(path.read_text(encoding="utf-8"))]


def test_the_installed_program_starts(installed: Path, tmp_path: Path) -> None:
    out = python("-m", "stemmata", "--version", cwd=tmp_path, path=installed)
    assert re.fullmatch(rf"stemmata {re.escape(__version__)}( \([0-9a-f]{{12}}\+?\))?\n", out)


def test_the_installed_program_finds_its_resources(installed: Path, tmp_path: Path) -> None:
    found = python("-c", "from stemmata.assets import resource; print(resource())", cwd=tmp_path, path=installed)
    folder = Path(found.strip())
    assert folder == installed / "stemmata" / "resources"
    for file in resource_files():
        assert (folder / file.relative_to(ROOT / "resources")).read_bytes() == file.read_bytes()


def test_the_checkout_finds_its_own_resources(tmp_path: Path) -> None:
    found = python("-c", "from stemmata.assets import resource; print(resource())", cwd=tmp_path, path=ROOT / "app")
    assert Path(found.strip()) == ROOT / "resources"


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    python("-m", "hatchling", "build", "-t", "sdist", "-d", folder)
    (built,) = folder.iterdir()
    return built


def test_the_source_archive_is_small(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert {"pyproject.toml", "packaging/dev", "docs/guide.md", "tests/conftest.py", "LICENSE"} <= {*names}
    assert len([name for name in names if name.startswith("docs/images/")]) < 20
    assert sdist.stat().st_size < 5_000_000


def test_built_twice_the_archives_are_the_same_bytes(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    python("-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", tmp_path)
    for before in (wheel, sdist):
        assert (tmp_path / before.name).read_bytes() == before.read_bytes()


def contents(wheel: Path) -> dict[str, bytes]:
    """Return the files of a wheel, without the list of their hashes, which has the order of the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}


def test_the_source_archive_builds_the_same_wheel(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    python("-m", "tarfile", "-e", sdist, tmp_path / "source")
    (source,) = (tmp_path / "source").iterdir()
    python("-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "again", cwd=source)
    (again,) = (tmp_path / "again").iterdir()
    assert contents(again) == contents(wheel)
