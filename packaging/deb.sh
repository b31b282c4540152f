#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# deb.sh TARBALL OUTPUT [ARCHITECTURE] (`make deb`, `make deb HOST=arm64`): packages for the Debian or Ubuntu that this
# runs on; of another architecture by a cross compiler (crossbuild-essential-ARCHITECTURE, and its libraries).
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "$(dirname "$(readlink -f "$0")")/lib.sh"
needs dpkg-buildpackage dpkg-dev
needs dh debhelper
unpack
cp "$tarball" "../iotracer_$version.orig.tar.gz"
cp -r "$here/debian" debian
sed "s/@VERSION@/$version/; s/@DATE@/$(date -R -d "$(cat release-date)")/" debian/changelog.in >debian/changelog
rm debian/changelog.in
architecture=${3:-$(dpkg --print-architecture)}
dpkg-buildpackage -us -uc --host-arch "$architecture"
mv ../iotracer*_* "$output"
ls "$output"
