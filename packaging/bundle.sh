#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bundle.sh TARBALL OUTPUT [IMAGE] (`make bundle IMAGE=FILE`): a directory that records where nothing may be
# installed, as from a USB stick or a tmpfs: the static program, and the image that `iotracer build` made of
# that machine's facts (`iotracer doctor --collect`). `./record -o DIR -- COMMAND` there.
# shellcheck source=lib.sh source-path=SCRIPTDIR
. "$(dirname "$(readlink -f "$0")")/lib.sh"
[ -f "${3:-}" ] || {
	echo "bundle.sh: no image: make bundle IMAGE=FILE, with a file that 'iotracer build' made" >&2
	exit 2
}
"$here/static.sh" "$tarball" "$output"
cp "$3" "$output/image"
cat >"$output/record" <<'END'
#!/bin/sh
# Records with what is beside this script; the others are ./read report DIR, ./read files DIR ...
here=$(cd "$(dirname "$0")" && pwd -P) || exit 1
exec "$here/read" record --image "$here/image" "$@"
END
cat >"$output/read" <<'END'
#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd -P) || exit 1
export IOTRACER_SYSTEMS="$here/systems.conf"
exec "$here/iotracer" "$@"
END
chmod 755 "$output/record" "$output/read"
ls "$output"
