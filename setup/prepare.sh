#!/bin/sh
# Finds a Python that can run this project and lets it prepare .venv, or install the command for this user.
# Usage: setup/prepare.sh run|dev [--packages], setup/prepare.sh install|uninstall; PYTHON=… names the interpreter.
set -eu
cd "$(dirname "$0")/.."

case "${1:-}" in
    install | uninstall) script=setup/install.py ;;
    *) script=setup/environment.py ;;
esac

for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null; then
        # -B: no caches beside the sources; -E -s: what is installed for the person must not matter here.
        exec "$candidate" -B -E -s "$script" "$@"
    fi
done

echo "holdfast: no Python 3.11 to 3.14 found (tried: ${PYTHON:-python3 and python3.11 to python3.14})." >&2
echo "holdfast: install one (Debian, Ubuntu, as root: apt-get update && apt-get install -y python3 python3-venv), or name it: make PYTHON=/path/to/python3 …" >&2
exit 1
