# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by what makes packages: TARBALL OUTPUT are their arguments. Everything is made from the tarball, as
# whoever downloads it would, in a directory that is removed.
set -euo pipefail
# shellcheck disable=SC2034 # who sources this uses them
here=$(dirname "$(readlink -f "$0")")
[ $# -ge 2 ] || {
	echo "usage: ${0##*/} TARBALL OUTPUT" >&2
	exit 2
}
tarball=$(readlink -f "$1")
mkdir -p "$2"
# shellcheck disable=SC2034 # likewise
output=$(readlink -f "$2")
version=${tarball##*/iotracer-}
# shellcheck disable=SC2034 # likewise
version=${version%.tar.gz}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# needs COMMAND PACKAGE: in Debian's words
needs()
{
	command -v "$1" >/dev/null || {
		echo "${0##*/}: $1 not found: install $2" >&2
		exit 1
	}
}

# The sources, below $work/iotracer-VERSION
unpack()
{
	tar -xzf "$tarball" -C "$work"
	cd "$work/iotracer-$version"
}
