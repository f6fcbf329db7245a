#!/bin/sh
# Makes .venv with everything that development needs, from the lock file.
# Works on a bare Debian 12 as root; safe to run again after an interruption.
# Arguments go to uv: `--group gpu` adds what the tests of the GPU engines need.
set -eu
cd "$(dirname "$0")/.."

UV_VERSION=0.13.9
say() { printf '[setup] %s\n' "$*"; }

install_packages() {
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        say "please install $* and run this again" >&2
        exit 1
    fi
    say "installing Debian packages: $*"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

command -v python3 >/dev/null || install_packages python3 python3-venv ca-certificates
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    say "python3 is $(python3 -V), but 3.11 or newer is needed" >&2
    exit 1
}
python3 -c 'import ensurepip' 2>/dev/null || install_packages python3-venv ca-certificates

if ! .venv/bin/python -m uv --version 2>/dev/null | grep -q " $UV_VERSION"; then
    say "making .venv with $(python3 -V)"
    .venv/bin/python -m pip --version >/dev/null 2>&1 || python3 -m venv --clear .venv
    .venv/bin/python -m pip install --quiet "uv==$UV_VERSION"
fi
say "installing the locked dependencies (about 600 MB on the first run, 6 GB more for tests)"
# Inexact: the demo leaves in place what the tests have installed.
.venv/bin/python -m uv sync --frozen --inexact --quiet "$@"
touch .venv/.ready
