"""Tries the service of the session in a bare system that systemd has booted, without a network.

    python -m builds.booted_system SUITE    needs root, debootstrap and systemd-container

The Debian package is installed; a user logs in, enables the service, and sessions of a tool appear.
"""

from __future__ import annotations

import subprocess
import sys

from builds.bare_system import APT, HOME, SESSION, Bare, bare_system, put_packages
from builds.places import WORK, KnownProblem, run, say

SYSTEMD = "systemd systemd-sysv dbus dbus-user-session libpam-systemd"
SERVICE = "stemmata-follow.service"
UNIT = f"""\
[Unit]
After=systemd-user-sessions.service dbus.service
[Service]
Type=oneshot
User=tester
PAMName=login
WorkingDirectory=/{HOME}
ExecStart=/bin/sh /{HOME}/trial.sh
StandardOutput=file:/{HOME}/told
StandardError=inherit
ExecStopPost=+/bin/systemctl poweroff --no-block
[Install]
WantedBy=multi-user.target
"""
TRIAL = f"""\
set -u
shown() {{
  for _ in $(seq 120); do stemmata sessions | grep -q "$1" && echo "imported: $1" && return; sleep 0.5; done
  echo "missing: $1"
}}
mkdir -p .pi/agent/sessions/--tmp--
cp one.jsonl .pi/agent/sessions/--tmp--/
systemctl --user enable --now {SERVICE}
shown "A bare system"
cp two.jsonl .pi/agent/sessions/--tmp--/
shown "A second session"
systemctl --user is-enabled {SERVICE}
systemctl --user is-active {SERVICE}
systemctl --user stop {SERVICE}
systemctl --user is-active {SERVICE}
systemctl --user show --property=Result --property=ExecMainStatus {SERVICE}
systemctl --user disable {SERVICE}
"""


def try_service(suite: str) -> str:
    """Return what the trial prints."""
    with bare_system(suite, WORK / f"booted-{suite}") as bare:
        put_packages(suite, "deb", bare)
        with bare.mounted():
            bare.sh(f"apt-get -qq update && {APT} {SYSTEMD} /packages/*.deb")
        _put_trial(bare)
        run(
            "timeout", "900", "systemd-nspawn", "--quiet", "--register=no", "--keep-unit",
            "--private-network", "--boot", f"--directory={bare.root}",
        )  # fmt: skip
        return (bare.root / HOME / "told").read_text(encoding="utf-8")


def _put_trial(bare: Bare) -> None:
    home, system = bare.root / HOME, bare.root / "etc/systemd/system"
    (home / "one.jsonl").write_text(SESSION, encoding="utf-8")
    second = SESSION.replace('"s1"', '"s2"').replace("A bare system", "A second session")
    (home / "two.jsonl").write_text(second, encoding="utf-8")
    (home / "trial.sh").write_text(TRIAL, encoding="utf-8")
    (system / "trial.service").write_text(UNIT, encoding="utf-8")
    bare.sh("chown tester /home/tester/*; systemctl --quiet enable trial.service")


def main(suite: str) -> int:
    """Try the service and print what happened."""
    try:
        say(try_service(suite))
    except (KnownProblem, subprocess.SubprocessError) as problem:
        say(f"{suite}: failed: {problem}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
