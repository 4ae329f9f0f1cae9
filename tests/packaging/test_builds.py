"""The specifications of the packages: quick checks. Builds are tried by hand, see docs/packaging.md."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from builds import __main__ as builds_main
from builds import bare_system, debian, flatpak, sbom
from builds.archives import digest
from builds.places import KnownProblem
from stemmata import APPLICATION_ID, __version__
from stemmata.system.desktop import ALWAYS, WAYLAND, X11

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
LOCK = (PACKAGING / "requirements" / "run.txt").read_text(encoding="utf-8")


def test_no_specification_names_a_place_of_a_machine() -> None:
    files = [path for path in PACKAGING.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert len(files) > 20
    private = re.compile(r"(?<![\w.$~}])/(?:home/(?!tester)|root/|work/|Users/)")
    assert not [path.name for path in files if private.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("path", sorted(PACKAGING.rglob("*.spec")), ids=lambda path: path.name)
def test_the_frozen_program_keeps_both_platforms_and_the_licences(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if isinstance(node.value, ast.Tuple | ast.List)
    }
    plugins = ("PySide6/Qt/plugins/platforms/libqxcb.so", "PySide6/Qt/plugins/platforms/libqwayland.so")
    for plugin in plugins:
        assert not [part for part in named["UNUSED_QT"] if part in plugin]
    assert {"numpy", "tkinter"} <= {*named["UNUSED"]}
    assert "libstdc++" not in named["SHIPPED_LIBRARIES"]


def test_the_package_depends_on_what_its_files_load() -> None:
    needed = {library: {"_internal/PySide6/QtGui.abi3.so"} for library in (*ALWAYS, *X11, *WAYLAND, "libc.so.6")}
    found = debian.dependencies(needed)
    assert "libglib2.0-0t64 | libglib2.0-0" in found
    assert {"libegl1", "libgl1", "libxcb-cursor0", "libwayland-egl1"} <= {*found}
    assert found == sorted({*found})


@pytest.mark.skipif(shutil.which("makensis") is None, reason="NSIS is not installed")
def test_the_installer_for_windows_is_made(tmp_path: Path) -> None:
    """Of a folder in place of the program, which is built on Windows only."""
    script = Path(shutil.copytree(PACKAGING / "windows", tmp_path / "packaging" / "windows")) / "stemmata.nsi"
    (tmp_path / "dist" / "stemmata" / "_internal").mkdir(parents=True)
    (tmp_path / "dist" / "stemmata" / "stemmata.exe").write_bytes(b"MZ")
    subprocess.run(["makensis", "-V2", "-WX", script], check=True)  # warnings are errors
    assert (tmp_path / "dist" / "stemmata-setup.exe").read_bytes().startswith(b"MZ")


def test_the_installer_for_windows_removes_no_folder_that_the_user_chose() -> None:
    lines = (PACKAGING / "windows" / "stemmata.nsi").read_text(encoding="utf-8").splitlines()
    removed = [line.split(maxsplit=2)[2] for line in lines if line.strip().startswith("RMDir /r")]
    assert removed == [r'"$INSTDIR\_internal"']


def test_a_library_that_no_table_names_stops_the_build() -> None:
    with pytest.raises(KnownProblem, match="libodd"):
        debian.dependencies({"libodd.so.3": {"_internal/odd.so"}})
    debian.dependencies({"libgtk-3.so.0": {"_internal/PySide6/Qt/plugins/platformthemes/libqgtk3.so"}})


def test_the_texts_of_the_debian_package() -> None:
    text = debian.copyright_file((ROOT / "LICENSE").read_text(encoding="utf-8"))
    assert "License: Expat\n Permission is hereby granted" in text
    assert "Copyright: " in text
    assert debian.changelog().startswith(f"stemmata-desktop ({__version__}) unstable;")


def test_the_sources_of_the_flatpak_are_those_of_the_lock() -> None:
    sources = json.loads(flatpak.SOURCES.read_text(encoding="utf-8"))
    assert len(sources) > 35
    for source in sources:
        assert source["sha256"] in LOCK
        assert source["url"].startswith("https://files.pythonhosted.org/packages/")
    projects = {source["url"].rpartition("/")[2].partition("-")[0].lower().replace("_", "-") for source in sources}
    wanted = set(re.findall(r"^([a-z0-9-]+)==[^;\n]*\\$", LOCK, re.MULTILINE))
    assert {name.replace("_", "-") for name in wanted} <= {name.replace(".", "-") for name in projects}


def test_a_wheel_of_this_machine_is_no_source_of_the_flatpak() -> None:
    def report(*urls: str) -> dict[str, Any]:
        infos = [{"url": url, "archive_info": {"hashes": {"sha256": url[-5:]}}} for url in urls]
        return {"install": [{"download_info": info} for info in infos]}

    chosen = flatpak.sources(report("https://a/b.whl", "https://b/a.whl"))
    assert [(source["url"], source["sha256"]) for source in chosen] == [
        ("https://b/a.whl", "a.whl"), ("https://a/b.whl", "b.whl"),
    ]  # fmt: skip
    with pytest.raises(KnownProblem, match="not on the package index"):
        flatpak.sources(report("https://a/b.whl", "file:///wheels/c.whl"))


def test_conditions_of_the_lock_hold_for_the_python_that_is_asked_for() -> None:
    for python, present, absent in (
        ("3.11", "backports-tarfile==", "pyside6-essentials==6.12"),
        ("3.13", "pyside6-essentials==6.12", "backports-tarfile=="),
    ):
        text = flatpak.locked_for(python)
        assert " ; " not in text
        assert present in text
        assert absent not in text
        assert text.count("--hash=sha256:") > text.count("==") > 30


def test_the_manifest_of_the_flatpak() -> None:
    manifest = json.loads(flatpak.MANIFEST.read_text(encoding="utf-8"))
    assert manifest["id"] == APPLICATION_ID
    grants = [grant for grant in manifest["finish-args"] if grant.startswith("--filesystem=")]
    assert all(grant.endswith(":ro") for grant in grants), "sessions of other tools are only read"
    if shutil.which("flatpak-builder"):
        flatpak.check_manifest()


@pytest.mark.parametrize("name", ["install.sh", "uninstall.sh"])
def test_the_scripts_of_the_installer_are_sound(name: str) -> None:
    subprocess.run(["sh", "-n", str(PACKAGING / "linux" / name)], check=True)


def test_the_installer_installs_and_removes(tmp_path: Path) -> None:
    program = tmp_path / "unpacked" / "stemmata" / "stemmata"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\necho "$1" >>"$HOME/ran"\n')
    program.chmod(0o755)
    for name in ("install.sh", "uninstall.sh"):
        shutil.copy(PACKAGING / "linux" / name, tmp_path / "unpacked")
    home = tmp_path / "my home"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    for _ in range(2):  # the second time over the first
        subprocess.run([tmp_path / "unpacked" / "install.sh"], env=environment, check=True, capture_output=True)
    link = home / ".local" / "bin" / "stemmata"
    assert link.resolve() == home / ".local" / "opt" / "stemmata" / "stemmata"
    removal = link.resolve().with_name("uninstall.sh")
    subprocess.run([removal], env=environment, check=True, capture_output=True)
    assert (home / "ran").read_text().split() == ["install", "install", "uninstall"]
    assert [path.name for path in home.rglob("*") if not path.is_dir()] == ["ran"]


def test_the_list_of_contents_names_the_locked_versions() -> None:
    lock = (PACKAGING / "requirements" / "package.txt").read_text(encoding="utf-8")
    found = {
        "stemmata-desktop": [__version__, "MIT"],
        "click": [re.findall(r"^click==(\S+)", lock, re.M)[0], "BSD-3-Clause"],
    }
    document = sbom.bill("3.11.2", found, lock)
    assert document["metadata"]["component"]["version"] == __version__
    names = [component["name"] for component in document["components"]]
    assert names == ["CPython", "click"]
    assert document["components"][1]["properties"]
    with pytest.raises(KnownProblem, match="not of the locked versions"):
        sbom.bill("3.11.2", found | {"click": ["0.1", ""]}, lock)


def test_a_checksum_is_that_of_sha256sum(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert digest(tmp_path / "a") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_every_build_ends_with_the_checksums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build() -> Path:
        (tmp_path / "dist" / "a.whl").write_bytes(b"abc")
        return tmp_path / "dist" / "a.whl"

    monkeypatch.setattr("builds.archives.DIST", tmp_path / "dist")
    monkeypatch.setattr(builds_main, "DIST", tmp_path / "dist")
    monkeypatch.setattr(builds_main, "KINDS", {"wheel": (build, "")})
    monkeypatch.setattr("sys.argv", ["package", "wheel"])
    assert builds_main.main() == 0
    listed = (tmp_path / "dist" / "SHA256SUMS").read_text()
    assert listed == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.whl\n"
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=tmp_path / "dist", check=True)


MOUNTS = r"""21 1 254:0 / / rw - ext4 /dev/vda rw
22 21 0:20 / /build/bare/proc rw - proc proc rw
23 21 0:20 / /build/bare-two/proc rw - proc proc rw
24 21 0:20 / /build/with\040space/proc rw - proc proc rw
"""


@pytest.mark.parametrize(
    ("folder", "places"),
    [
        ("/build/bare", ["/build/bare/proc"]),
        ("/build/bare/proc", ["/build/bare/proc"]),
        ("/build/with space", [r"/build/with\040space/proc"]),
        ("/build/ba", []),
        ("/build/bare/proc/self", []),
    ],
)
def test_what_is_mounted_in_a_bare_system_is_found(folder: str, places: list[str], tmp_path: Path) -> None:
    (tmp_path / "mountinfo").write_text(MOUNTS)
    assert bare_system.mounts_below(Path(folder), str(tmp_path / "mountinfo")) == places


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of a bare system; what makes and mounts it is replaced by what makes folders only."""

    def make(*words: str) -> None:
        if words[0] == "cp":
            (Path(words[-1]) / "etc").mkdir(parents=True)

    base = tmp_path / "bases" / "bookworm" / "etc"
    base.mkdir(parents=True)
    (base / "debian_version").touch()
    monkeypatch.setattr(bare_system, "BASES", tmp_path / "bases")
    monkeypatch.setattr(bare_system, "_run", make)
    monkeypatch.setattr(bare_system.Bare, "sh", lambda *_, **__: "")
    return tmp_path / "bare"


def test_a_bare_system_is_removed_when_a_trial_fails(made: Path) -> None:
    with pytest.raises(KnownProblem, match="no such package"), bare_system.bare_system("bookworm", made):
        fail_to_install(made)
    assert not made.exists()


def fail_to_install(place: Path) -> None:
    assert place.is_dir()
    raise KnownProblem("no such package")


def test_a_bare_system_in_which_something_is_mounted_is_kept(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KnownProblem, match="mounted"), bare_system.bare_system("bookworm", made):
        monkeypatch.setattr(bare_system, "mounts_below", lambda folder: [f"{folder}/proc"])
    assert made.is_dir()


def test_what_was_mounted_is_unmounted_when_a_later_mount_fails(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def run(*words: str) -> None:
        ran.append(words[0])
        if ran.count("mount") == 2:
            raise KnownProblem("no such device")

    with bare_system.bare_system("bookworm", made) as bare:
        monkeypatch.setattr(bare_system, "_run", run)
        with pytest.raises(KnownProblem, match="device"), bare.mounted():
            pass
    assert ran == ["mount", "mount", "umount"]


def test_pip_and_uv_in_a_bare_system_ask_the_index_as_outside(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise they take only the wheels that were put there."""
    for name in bare_system.INDEX:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "own.crt").write_text("a certificate")
    monkeypatch.setenv("PIP_CERT", str(tmp_path / "own.crt"))
    with bare_system.bare_system("bookworm", made) as bare:
        (made / "packages").mkdir()
        assert "PIP_NO_INDEX=1" in bare.command("pipx", "tester")
        bare.use_index()
        command = bare.command("pipx", "tester")
        assert "PIP_CERT=/packages/PIP_CERT" in command
        assert "PIP_NO_INDEX=1" not in command
        assert (made / "packages" / "PIP_CERT").read_text() == "a certificate"
