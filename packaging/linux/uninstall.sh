#!/bin/sh
# Removes what install.sh installed. The archive and the settings are kept.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd -P)
[ -x "$here/stemmata" ] || { echo "This is not the folder of an installation: $here" >&2; exit 1; }
"$here/stemmata" uninstall || true
bin=$(dirname -- "$(dirname -- "$here")")/bin/stemmata
if [ "$(readlink -- "$bin" 2>/dev/null)" = "$here/stemmata" ]; then rm -f -- "$bin"; fi
rm -rf -- "$here"
echo "Stemmata was removed. Your archive and your settings are kept."
