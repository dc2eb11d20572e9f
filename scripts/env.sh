# Sourced by the other scripts: a virtual environment with mmeval in it. Sets PYTHON.
set -eu
cd "$(dirname "$0")/.."
VENV="${MMEVAL_VENV:-.venv}"
case "$VENV" in /*) ;; *) VENV="$PWD/$VENV" ;; esac

suitable() { command -v "$1" >/dev/null 2>&1 && "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
  for name in "${MMEVAL_PYTHON:-python3}" python3 python3.13 python3.12 python3.11; do
    if suitable "$name"; then echo "$name"; return; fi
  done
}

install_python() {
  if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3 python3-venv >&2
  fi
}

BASE="$(find_python)"
[ -n "$BASE" ] || { install_python; BASE="$(find_python)"; }
[ -n "$BASE" ] || { echo "error: Python 3.11 or newer with venv is needed; install python3 and python3-venv" >&2; exit 2; }

PYTHON="$VENV/bin/python"
# A half-made environment, or one whose Python is gone, is made again.
"$PYTHON" -m pip --version >/dev/null 2>&1 || { rm -f "$VENV"/.mmeval-*; "$BASE" -m venv "$VENV"; }
# A folder that was moved is set up again, for the environment names it.
STAMP="$VENV/.mmeval-$({ cat pyproject.toml; pwd; } | cksum | cut -d' ' -f1)"
if [ ! -e "$STAMP" ]; then
  echo "setting up $VENV" >&2
  "$PYTHON" -m pip install -q --disable-pip-version-check -e '.[dev]' >&2
  # The official LVIS scorer, for the tests; what it draws pictures with (300 MB) is not needed.
  "$PYTHON" -m pip install -q --disable-pip-version-check --no-deps lvis==0.5.3 >&2
  touch "$STAMP"
fi
