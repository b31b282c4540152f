#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rpm.sh TARBALL OUTPUT (`make rpm`): packages for the distribution that this runs on; on one without a
# database of RPMs, where nothing can be looked up in it, what is needed must be there in its own way.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "$(dirname "$(readlink -f "$0")")/lib.sh"
needs rpmbuild rpm
options=()
rpm -q glibc >/dev/null 2>&1 || options+=(--nodeps)
mkdir -p "$work"/{SOURCES,SPECS}
cp "$tarball" "$work/SOURCES"
changed=$(tar -xzOf "$tarball" "iotracer-$version/release-date")
sed "s/@VERSION@/$version/; s/@DATE@/$(LC_ALL=C date -d "$changed" '+%a %b %d %Y')/" "$here/iotracer.spec" >"$work/SPECS/iotracer.spec"
rpmbuild -ba "${options[@]}" --define "_topdir $work" --define "iot_version $version" "$work/SPECS/iotracer.spec"
mv "$work"/RPMS/*/*.rpm "$work"/SRPMS/*.rpm "$output"
ls "$output"
