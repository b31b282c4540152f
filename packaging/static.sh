#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# static.sh TARBALL OUTPUT (`make static-readers`): one program without shared libraries, for any Linux of the
# last ten years with this machine's kind of CPU. It reads recordings, and records with --image. Where users are
# not in /etc/passwd (LDAP), it shows and takes their numbers, and top shows tables.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "$(dirname "$(readlink -f "$0")")/lib.sh"
unpack
PKG_CONFIG="${PKG_CONFIG:-pkg-config} --static" ./configure -q --disable-recorder --without-libdw --without-ncurses LDFLAGS=-static \
	CFLAGS="${CFLAGS:--O2}"
make -s -j"$(nproc)" iotracer 2>"$work/said" || {
	cat "$work/said" >&2
	exit 1
}
strip iotracer
mv iotracer "$output/iotracer"
cp COPYING data/systems.conf "$output"
