"""Tries a package on a bare system: installs, starts, opens a link, follows, uninstalls. Needs root and debootstrap.

    python -m builds.bare_system SUITE KIND…    bookworm, trixie or ubuntu-like; the kinds of `STEPS`

The system is a chroot without anything that the package does not bring; the display is a server outside of it.
"ubuntu-like" is trixie under the name of Ubuntu 24.04, whose packages have the same names. The kinds that use the
package index see the variables INDEX of the environment, and the files that these name. The chroot is removed
afterwards, also when a trial fails.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from builds.flatpak import locked_for
from builds.places import DIST, ROOT, WORK, KnownProblem, say

BASES = Path(os.environ.get("STEMMATA_CHROOTS", WORK / "chroots"))
BASE_OF = {"ubuntu-like": "trixie"}
UBUNTU = 'PRETTY_NAME="Ubuntu 24.04"\nNAME="Ubuntu"\nVERSION_ID="24.04"\nID=ubuntu\nID_LIKE=debian\n'
PYTHONS = {"bookworm": "3.11", "trixie": "3.13", "ubuntu-like": "3.13"}
HOME = "home/tester"
DISPLAY = os.environ.get("STEMMATA_TRIAL_DISPLAY", ":78")  # of the server that a trial starts
ON_WAYLAND = {"WAYLAND_DISPLAY": "w0", "XDG_RUNTIME_DIR": "/run/user/tester"}
SESSION = '{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/tmp"}\n' + (
    '{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z",'
    '"message":{"role":"user","content":[{"type":"text","text":"A bare system"}],"timestamp":1767225601000}}\n'
)
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/packages"}
INDEX = ("PIP_INDEX_URL", "PIP_CERT", "UV_DEFAULT_INDEX", "SSL_CERT_FILE", "HTTPS_PROXY", "NO_PROXY")
LIBRARIES = (
    "libegl1 libgl1 libxkbcommon0 libfontconfig1 libdbus-1-3 libglib2.0-0 libxkbcommon-x11-0 libxcb-cursor0"
    " libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libwayland-cursor0 libwayland-egl1 libxcb-randr0 libxcb-xkb1"
    " libx11-xcb1 libxcb-sync1 libxcb-xfixes0 libx11-6 libwayland-client0"
).split()


class Bare:
    """A copy of a bare system, with a user. `environment` are variables for every script that runs inside."""

    def __init__(self, suite: str, place: Path) -> None:
        self.root = place
        self.environment = OFFLINE
        debian = BASE_OF.get(suite, suite)
        base = BASES / debian
        if not (base / "etc/debian_version").exists():
            _run("debootstrap", "--variant=minbase", debian, str(base))
        self.remove()
        _run("cp", "-a", str(base), str(place))
        shutil.copy("/etc/resolv.conf", place / "etc/resolv.conf")
        if suite == "ubuntu-like":
            (place / "etc/os-release").unlink()
            (place / "etc/os-release").write_text(UBUNTU)
        self.sh("useradd -m -s /bin/sh tester; mkdir -p /tmp/.X11-unix /packages; chmod 1777 /tmp")

    def sh(self, script: str, *, user: str = "root", check: bool = True, **environment: str) -> str:
        """Run a script inside as this user and return what it prints."""
        ran = subprocess.run(self.command(script, user, **environment), capture_output=True, text=True, check=False)
        if check and ran.returncode:
            raise KnownProblem(f"{script}\n{ran.stdout[-3000:]}{ran.stderr[-3000:]}")
        return ran.stdout + ran.stderr

    def command(self, script: str, user: str, **environment: str) -> list[str]:
        """Return the command that runs a script inside."""
        home = "/root" if user == "root" else f"/{HOME}"
        own = {
            "HOME": home,
            "PATH": f"{home}/.local/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "LANG": "C.UTF-8",
        }
        words = [f"{name}={value}" for name, value in (own | self.environment | environment).items()]
        return [
            "chroot",
            f"--userspec={user}",
            str(self.root),
            "env",
            "-i",
            *words,
            "sh",
            "-c",
            f"cd {home}; {script}",
        ]

    @contextmanager
    def mounted(self) -> Iterator[None]:
        """Show the display server, the kernel's files and a runtime folder inside."""
        runtime = self.root / "run/user/tester"
        runtime.mkdir(parents=True, exist_ok=True)
        self.sh("chown tester /run/user/tester; chmod 700 /run/user/tester")
        with ExitStack() as mounts:
            for source, inside in (("/tmp/.X11-unix", "tmp/.X11-unix"), ("/proc", "proc"), ("/dev", "dev")):
                _run("mount", "--bind", source, str(self.root / inside))
                mounts.callback(_run, "umount", "--lazy", str(self.root / inside))
            yield

    def use_index(self) -> None:
        """Let pip and uv ask the package index as they do outside."""
        self.environment = {name: os.environ[name] for name in INDEX if name in os.environ}
        for name, value in self.environment.items():
            if value.startswith("/") and Path(value).is_file():  # at a place that no package of the system fills
                shutil.copy(value, self.root / "packages" / name)
                (self.root / "packages" / name).chmod(0o644)
                self.environment[name] = f"/packages/{name}"

    def remove(self) -> None:
        """Remove the system. Raises KnownProblem while something is mounted in it, which would be removed as well."""
        if mounted := mounts_below(self.root):
            raise KnownProblem(f"{self.root} was not removed: {', '.join(mounted)} is mounted in it.")
        if self.root.exists():
            shutil.rmtree(self.root)

    def data(self) -> list[str]:
        """Return the files below the user's home, without those of the shell."""
        home = self.root / HOME
        return sorted(
            path.relative_to(home).as_posix()
            for path in home.rglob("*")
            if path.is_file() and not path.name.startswith((".bash", ".profile"))
        )


def mounts_below(folder: Path, mounts: str = "/proc/self/mountinfo") -> list[str]:
    """Return the places in the folder at which something is mounted."""
    places = [line.split(" ")[4] for line in Path(mounts).read_text(encoding="utf-8").splitlines()]
    return [place for place in places if f"{place}/".startswith(f"{folder.absolute()}/".replace(" ", r"\040"))]


# -- how each kind is installed and removed: scripts that run as root or as the user ---------------------------------

Steps = list[tuple[str, str]]
APT = "apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends"


class Way(NamedTuple):
    """How a kind is installed, started and removed; `packages` are the files that it is installed from."""

    install: Steps
    command: str
    remove: Steps
    packages: str = ""
    lock: str = ""  # the requirements whose wheels are put beside the packages
    uses_index: bool = False  # whether it gets the locked versions from the package index


def _with_libraries(packages: str, *steps: tuple[str, str]) -> Steps:
    return [("root", f"apt-get -qq update && {APT} {' '.join(LIBRARIES)} {packages}"), *steps]


SUDO = "echo 'tester ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/tester"
DEV = "stemmata/packaging/dev run"
REFUSED = f"DISPLAY=:0 {DEV} >out 2>&1; test $? = 1 && grep apt-get out | sed s/sudo// >line"
PRINTED = f"yes | sh -ex /{HOME}/line"
LOCKED = "/packages/locked.txt"
TOOL = "/packages/*.whl && .local/bin/stemmata install"
PIPX_REMOVED = (
    "pipx uninstall stemmata-desktop; rm -rf .local/pipx .local/share/pipx .local/state/pipx .cache/pipx .cache/pip"
)
UV_REMOVED = "tool/bin/uv tool uninstall stemmata-desktop; rm -rf tool .local/share/uv .cache/uv .cache/pip"
IN_VENV = "python3 -m venv tool && tool/bin/pip install --quiet"
STEPS = {
    "deb": Way(
        [("root", f"apt-get -qq update && {APT} /packages/*.deb")],
        "stemmata", [("root", "apt-get -qq purge -y stemmata-desktop")], "*.deb",
    ),
    "archive": Way(
        _with_libraries("zstd", ("tester", "tar -xf /packages/*.tar.zst && stemmata/stemmata install")),
        "stemmata/stemmata", [("tester", "stemmata/stemmata uninstall; rm -r stemmata")], "*.tar.zst",
    ),
    "run": Way(
        _with_libraries("xz-utils", ("tester", "sh /packages/*.run --quiet --nox11")),
        "stemmata", [("tester", ".local/opt/stemmata/uninstall.sh")], "*.run",
    ),
    "wheel": Way(
        _with_libraries("python3 python3-venv", (
            "tester", f"{IN_VENV} stemmata-desktop && tool/bin/stemmata install",
        )),
        "tool/bin/stemmata", [("tester", "tool/bin/stemmata uninstall; rm -r tool")], "*.whl", "run",
    ),
    "pipx": Way(
        _with_libraries("pipx python3-venv", ("tester", f"pipx install --pip-args='--constraint={LOCKED}' {TOOL}")),
        "stemmata", [("tester", f"stemmata uninstall; {PIPX_REMOVED}")], "*.whl", uses_index=True,
    ),
    "uv": Way(
        _with_libraries("python3 python3-venv", (
            "tester", f"{IN_VENV} uv && UV_CONSTRAINT={LOCKED} tool/bin/uv tool install --quiet {TOOL}",
        )),
        "stemmata", [("tester", f"stemmata uninstall; {UV_REMOVED}")], "*.whl", uses_index=True,
    ),
    "appdir": Way(
        _with_libraries("squashfs-tools", ("tester", "unsquashfs -q -n -d AppDir /packages/*.squashfs")),
        "AppDir/AppRun", [("tester", "rm -r AppDir")], "*.squashfs",
    ),
    "checkout": Way([("root", f"apt-get -qq update && {APT} sudo && {SUDO}")], DEV, [("tester", "rm -rf stemmata")],
                    "", "dev"),
    "checkout-without-root": Way(
        [("root", f"apt-get -qq update && {APT} python3"), ("tester", REFUSED), ("root", PRINTED)],
        DEV, [("tester", "rm -rf stemmata line out")], "", "dev",
    ),
}  # fmt: skip


def put_packages(suite: str, kind: str, bare: Bare) -> None:
    """Copy the files that a kind is installed from, and the wheels that it requires."""
    way, into = STEPS[kind], bare.root / "packages"
    for path in DIST.glob(way.packages or "-"):
        shutil.copy(path, into)
    if way.command == DEV:
        checkout = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
        place = bare.root / HOME / "stemmata"
        place.mkdir()
        subprocess.run(["tar", "-x", "-C", str(place)], input=checkout, check=True)
        bare.sh(f"chown -R tester /{HOME}/stemmata")
    if way.lock:
        _put_wheels(PYTHONS[suite], way.lock, into)
    if way.uses_index:
        bare.use_index()
        names = [line.rstrip(" \\") for line in locked_for(PYTHONS[suite]).splitlines() if "--hash" not in line]
        (bare.root / LOCKED[1:]).write_text("\n".join(names), encoding="utf-8")


def _put_wheels(python: str, lock: str, into: Path) -> None:
    wanted = into / "wanted.txt"
    wanted.write_text(locked_for(python, ROOT / "packaging" / "requirements" / f"{lock}.txt"), encoding="utf-8")
    tags = [word for tag in ("2_39", "2_34", "2_28", "2_17") for word in ("--platform", f"manylinux_{tag}_x86_64")]
    _run(
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--only-binary",
        ":all:", "--python-version", python, *tags, "--platform", "manylinux2014_x86_64",
        "--dest", str(into), "-r", str(wanted),
    )  # fmt: skip


def try_out(suite: str, kind: str) -> None:
    """Install, use and remove one kind on one system, and print a row of the table."""
    install, command, removal, *_ = STEPS[kind]
    with bare_system(suite, WORK / f"bare-{suite}-{kind}") as bare:
        put_packages(suite, kind, bare)
        with bare.mounted():
            began = time.monotonic()
            for user, script in install:
                bare.sh(script, user=user)
            told = {"installed": f"{time.monotonic() - began:.0f} s", "window": _window(bare, command)}
            told["from nothing to done"] = f"{time.monotonic() - began:.0f} s"
            told["version"] = bare.sh(f"{command} --version", user="tester").strip()
            told["follows"] = _follow(bare, command)
            told["wayland"] = _wayland(bare, command)
            for user, script in removal:
                bare.sh(script, user=user)
            told["left"] = ", ".join(dict.fromkeys(name.rpartition("/")[0] for name in bare.data()))
        say(f"{suite} {kind}: {told}")


@contextmanager
def bare_system(suite: str, place: Path) -> Iterator[Bare]:
    """Make a bare system and remove it afterwards."""
    bare = Bare(suite, place)
    try:
        yield bare
    finally:
        bare.remove()


def _window(bare: Bare, command: str) -> str:
    """Start the window, open a link through a second start, and return the times of both."""
    (bare.root / HOME / "s.jsonl").write_text(SESSION)
    bare.sh("chown tester /home/tester/s.jsonl")
    began = time.monotonic()
    script = f"exec {command}"
    with subprocess.Popen(
        bare.command(script, "tester", DISPLAY=DISPLAY), stderr=subprocess.PIPE, text=True
    ) as window:
        try:
            until(lambda: _is_shown() or window.poll() is not None, 1200)
            shown = time.monotonic() - began
            if window.poll() is not None:
                return f"ended: {window.stderr.read() if window.stderr else ''}"
            until(lambda: sockets(bare) != [], 300)
            bare.sh(f"{command} import s.jsonl", user="tester")
            times = []
            for _ in range(5):
                began = time.monotonic()
                bare.sh(f"{command} stemmata://session/s1", user="tester", DISPLAY=DISPLAY)
                times.append(time.monotonic() - began)
        finally:
            window.terminate()
            window.wait(20)
    began = time.monotonic()
    with subprocess.Popen(bare.command(script, "tester", DISPLAY=DISPLAY), stderr=subprocess.DEVNULL) as window:
        try:
            until(_is_shown, 300)
            again = time.monotonic() - began
        finally:
            window.terminate()
            window.wait(20)
    return f"first after {shown:.1f} s, then {again:.1f} s, handed over in {min(times) * 1000:.0f} ms"


def _is_shown() -> bool:
    found = subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--name", "Stemmata"],
        env={"DISPLAY": DISPLAY, "PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return bool(found.stdout.strip())


def _wayland(bare: Bare, command: str) -> str:
    """Start the window in a headless compositor, and return whether it goes on running."""
    if shutil.which("weston") is None:
        return "weston is not installed"
    forget_windows(bare)
    with compositor(bare), subprocess.Popen(bare.command(f"exec {command}", "tester", **ON_WAYLAND)) as window:
        try:
            until(lambda: sockets(bare) != [] or window.poll() is not None, 120)
            bare.sh(f"{command} stemmata://session/s1", user="tester", check=True, **ON_WAYLAND)
            return "runs" if window.poll() is None else "ended"
        finally:
            window.terminate()
            window.wait(20)


def sockets(bare: Bare) -> list[Path]:
    """Return the sockets of windows that listen, or were killed."""
    return list((bare.root / HOME / ".local/state/stemmata").glob("*.socket"))


def forget_windows(bare: Bare) -> None:
    """Remove the sockets of windows that were killed."""
    for path in sockets(bare):
        path.unlink()


@contextmanager
def compositor(bare: Bare) -> Iterator[None]:
    """Run weston, without a screen, at the socket "w0" of the user's runtime folder."""
    runtime = bare.root / "run/user/tester"
    weston = subprocess.Popen(
        ["weston", "--backend=headless-backend.so", "--socket=w0", "--idle-time=0"],
        env={"XDG_RUNTIME_DIR": str(runtime), "PATH": os.environ["PATH"]},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until((runtime / "w0").exists, 20)
        bare.sh("chown tester /run/user/tester/w0")
        yield
    finally:
        weston.terminate()
        weston.wait(20)


def _follow(bare: Bare, command: str) -> str:
    """Follow a folder while a file in it grows, and return what was printed."""
    later = SESSION.replace('"s1"', '"s2"')
    script = (
        f"mkdir -p f; timeout -s INT 25 {command} import --follow f >out 2>err & sleep 8; cp s.jsonl f/two.jsonl;"
        " sed -i s/s1/s2/ f/two.jsonl; wait; cat out; rm -r f out err"
    )
    assert later != SESSION
    said = bare.sh(script, user="tester", check=False)
    return "yes" if "1 new of" in said else f"no: {said.strip()[-300:]}"


def until(holds: Callable[[], bool], seconds: float) -> None:
    """Wait until the condition holds. Raises KnownProblem when that takes longer."""
    ends = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > ends:
            raise KnownProblem(f"not after {seconds:.0f} s")
        time.sleep(0.05)


def _run(*words: str) -> None:
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise KnownProblem(f"{' '.join(words)}\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")


def main(arguments: list[str]) -> int:
    """Try each kind on the suite."""
    suite, *kinds = arguments
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the mounts are undone
    with display_server():
        for kind in kinds:
            try:
                try_out(suite, kind)
            except KnownProblem as problem:
                say(f"{suite} {kind}: failed: {problem}")
    return 0


@contextmanager
def display_server() -> Iterator[None]:
    """Run Xvfb. Raises KnownProblem when the display is in use: its windows would be taken for those of the trial."""
    if Path(f"/tmp/.X11-unix/X{DISPLAY[1:]}").exists():
        raise KnownProblem(f"The display {DISPLAY} is in use. STEMMATA_TRIAL_DISPLAY can name another one.")
    with subprocess.Popen(["Xvfb", DISPLAY, "-screen", "0", "1440x900x24"], stderr=subprocess.DEVNULL) as server:
        try:
            yield
        finally:
            server.terminate()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
