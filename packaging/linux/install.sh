#!/bin/sh
# Installs Stemmata for one user: the program into ~/.local/opt/stemmata, a link into ~/.local/bin, and its menu entry.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd -P)
to=${STEMMATA_PREFIX:-$HOME/.local}
mkdir -p -- "$to/opt" "$to/bin"
rm -rf -- "$to/opt/stemmata.new"
cp -R -- "$here/stemmata" "$to/opt/stemmata.new"
cp -- "$here/uninstall.sh" "$to/opt/stemmata.new/uninstall.sh"
rm -rf -- "$to/opt/stemmata.old"
if [ -e "$to/opt/stemmata" ]; then mv -- "$to/opt/stemmata" "$to/opt/stemmata.old"; fi
mv -- "$to/opt/stemmata.new" "$to/opt/stemmata"
rm -rf -- "$to/opt/stemmata.old"
ln -sf -- "$to/opt/stemmata/stemmata" "$to/bin/stemmata"
"$to/opt/stemmata/stemmata" install || echo "The menu entry could not be written; the program works without it." >&2
echo "Stemmata is installed in $to/opt/stemmata. Start it from the menu, or with $to/bin/stemmata."
echo "To remove it, run $to/opt/stemmata/uninstall.sh. Your archive is kept then."
