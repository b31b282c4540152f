#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A checkout's version names its commit and a tarball's does not; the pages have the release and the day
# of the last change, and the program says what src/cmd/version.sh says.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd -P)
builddir=$(cd "${builddir:-.}" && pwd -P)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0 n=0

# says WANTED WHAT: a pattern
says()
{
	local got

	n=$((n + 1))
	got=$(sh "$dir/src/cmd/version.sh" 9.8.7 "$2")
	# shellcheck disable=SC2053 # a pattern it is
	[[ $got == $1 ]] || { echo "FAIL: $2: '$got' instead of '$1'"; failed=1; }
}

in_git()
{
	git -C "$dir" -c user.name=t -c user.email=t@example.org "$@"
}

mkdir -p "$dir/src/cmd"
cp "$srcdir/src/cmd/version.sh" "$dir/src/cmd/"
echo 2001-02-03 >"$dir/release-date"
says 9.8.7 version
says 2001-02-03 date
if command -v git >/dev/null; then
	in_git init -q && in_git add src || exit 1
	GIT_COMMITTER_DATE=2002-03-04T05:06:07Z in_git commit -qm one
	says '9.8.7-g[0-9a-f]*' version
	says 2002-03-04 date
	in_git tag v9.8.7
	says 9.8.7 version
	in_git commit -q --allow-empty -m two
	says '9.8.7-1-g[0-9a-f]*' version
fi

version=$("$builddir/iotracer" --version | sed -n '1s/.* //p')
release=$(sed -n 's/^#define PACKAGE_VERSION "\(.*\)"/\1/p' "$builddir/config.h")
[[ $version == "$release" || $version == "$release"-* ]] || { echo "FAIL: version $version of release $release"; failed=1; }
for page in "$builddir"/iotracer.8 "$builddir"/iotracer-streams.5; do
	n=$((n + 1))
	grep -qE "^\.TH [^ ]* [58] \"20[0-9]{2}-[0-9]{2}-[0-9]{2}\" \"iotracer $release\"" "$page" ||
		{ echo "FAIL: $page: $(grep '^\.TH' "$page")"; failed=1; }
done
[ $failed = 1 ] || echo "PASS: $n claims"
exit $failed
