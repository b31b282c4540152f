#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# version.sh RELEASE version|date: the version of these sources and the day of their last change. In a
# checkout both come from git: "0.1.0-12-g3f2a1bc" after tag v0.1.0, "0.1.0-g3f2a1bc" before there is one.
# In a tarball they are RELEASE, which configure.ac has, and what release-date says. Exits with 1 where git
# refused to answer: another user's checkout, for one.
src=$(cd "$(dirname "$0")/../.." && pwd -P) || exit 1

in_git()
{
	[ -e "$src/.git" ] && git -C "$src" "$@" 2>/dev/null
}

case $2 in
version)
	described=$(in_git describe --tags --always --match 'v[0-9]*')
	case $described in
	v*) echo "${described#v}" ;;
	?*) echo "$1-g$described" ;;
	*)
		echo "$1"
		[ ! -e "$src/.git" ] || exit 1
		;;
	esac
	;;
date) in_git log -1 --format=%cd --date=short || cat "$src/release-date" 2>/dev/null || date -r "$src/NEWS" +%F ;;
*) exit 2 ;;
esac
