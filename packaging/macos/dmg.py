"""Settings of dmgbuild for the disk image: dmgbuild -s packaging/macos/dmg.py Stemmata dist/Stemmata.dmg

After `python -m PyInstaller packaging/frozen/stemmata.spec` on macOS. Not tried yet: see docs/packaging.md.
"""

files = ["dist/Stemmata.app"]
symlinks = {"Applications": "/Applications"}
icon_locations = {"Stemmata.app": (140, 120), "Applications": (500, 120)}
window_rect = ((100, 100), (640, 280))
format = "ULFO"
