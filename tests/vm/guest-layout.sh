#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A machine without kernel headers: what BTF says of this kernel and what is learned from objects
# of our own is the same; each source is found without being named, and is good for the rows of the
# conformance program in tier b, with an image that a desk built from facts alone. The layouts
# are left for check-offsets.sh, which compares them with headers.

# shellcheck disable=SC2154 # guest-run gives builddir and srcdir

# What is hidden is so for this script alone.
[ -n "${layout_unshared:-}" ] || layout_unshared=1 exec unshare -m /bin/bash "$0"

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"
# shellcheck source=hide.sh source-path=SCRIPTDIR
. "${0%/*}/hide.sh"

work=/mnt/ext4/layout
trace=/tmp/layout.trace
cache=/var/cache/iotracer

says()
{
	"$iotracer" doctor >/tmp/doctor
	sed -n 's/^layouts *//p' /tmp/doctor
	grep -q "^layouts .*$1" /tmp/doctor
}

# layout SOURCE: into $rw/SOURCE.layout, with the facts that it came with
layout()
{
	"$iotracer" doctor --layout "$1" --collect "$rw/$1.tar.gz" &&
		tar xzOf "$rw/$1.tar.gz" iotracer/layout >"$rw/$1.layout"
}

places()
{
	awk '$1 == "member" { print $2, $3 }' "$rw/$1.layout" | sort
}

# Every place that was learned is the one that BTF tells; 50 are needed for tier b.
same_places()
{
	places learned >/tmp/learned
	places btf >/tmp/told
	comm -23 /tmp/learned /tmp/told | sed 's/^/learned: /' | tee /tmp/different
	echo "$(wc -l </tmp/learned) learned, $(wc -l </tmp/told) told"
	[ ! -s /tmp/different ] && [ "$(wc -l </tmp/learned)" -ge 50 ]
}

conform()
{
	rm -rf $work $trace
	mkdir -p $work
	: >/tmp/cases
	"$iotracer" record --no-snapshots -o $trace --image "$rw/image-$1" -e fs --extra-ops -- \
		"$builddir/tests/conform/conform" b $work >/tmp/expected || return
	"$builddir/tests/conform/conform_diff" diff $trace /tmp/expected $work >/tmp/cases
	sed "s/^\(PASS\|FAIL\|SKIP\): */\1: $1: /" /tmp/cases
	[ -s /tmp/cases ] && grep -q "\"layout\": *\"$1\"" $trace/manifest.json
}

# No kernel here has CONFIG_IKHEADERS: the host makes the archive (build-server).
make_kheaders()
{
	local i

	: >"$rw/kheaders.want"
	for ((i = 0; i < 120; i++)); do
		[ ! -f "$rw/kheaders.done" ] || return "$(<"$rw/kheaders.done")"
		sleep 1
	done
	return 1
}

# A file cannot be made in sysfs: a directory with the same ones and this takes its place.
offer_kheaders()
{
	local dir=/tmp/sys-kernel entry

	mkdir -p $dir && mount -t tmpfs none $dir || return
	for entry in /sys/kernel/*; do
		if [ -d "$entry" ]; then
			mkdir "$dir/${entry##*/}" && mount --rbind "$entry" "$dir/${entry##*/}"
		else
			touch "$dir/${entry##*/}" && mount --bind "$entry" "$dir/${entry##*/}"
		fi || return
	done
	cp "$rw/kheaders.tar.xz" $dir && mount --rbind $dir /sys/kernel
}

# Compiled here, from what the archive has (one small stream: that takes a minute); and the
# second start unpacks nothing.
kheaders_rows()
{
	[ -x "$builddir/iotracer-bcc" ] || { echo 'this guest has no compiler'; return 77; }
	"$iotracer" record --no-snapshots --no-kprobes -o /tmp/kheaders.trace -e exec -- \
		dd if=/dev/zero of=/mnt/ext4/F bs=512 count=11 2>/tmp/said || { cat /tmp/said; return 1; }
	"$builddir/tests/conform/conform_diff" cut /tmp/kheaders.trace exec event_type,cmdline |
		grep -x 'EXEC	dd if=/dev/zero of=/mnt/ext4/F bs=512 count=11' || return
	grep -q '"layout": *"kheaders"' /tmp/kheaders.trace/manifest.json
}

carried()
{
	"$iotracer" doctor --collect /tmp/facts.tar.gz && tar tzf /tmp/facts.tar.gz | grep -x iotracer/layout
}

damaged_kheaders()
{
	rm -rf $cache/*-kheaders
	truncate -s 100000 /sys/kernel/kheaders.tar.xz
	says 'from BTF' 2>/tmp/said || return
	cat /tmp/said
	[ "$(grep -c 'not used: the archive is damaged' /tmp/said)" = 1 ] && [ -z "$(ls -d $cache/*kheaders* 2>/dev/null)" ]
}

kheaders()
{
	make_kheaders
	case $? in
	0) ;;
	77) skip 'kheaders: the headers are not as Debian has them'; return ;;
	*) fail 'kheaders: an archive'; return ;;
	esac
	check 'kheaders: a kernel that has them' offer_kheaders
	check 'kheaders: come before BTF' says "from the kernel's own headers"
	touch /tmp/stamp
	check 'kheaders: rows from what they say' kheaders_rows
	check 'kheaders: are unpacked once' [ -z "$(find $cache/*-kheaders -maxdepth 0 -cnewer /tmp/stamp)" ]
	check 'kheaders: facts for a desk have what BTF says' carried
	check 'kheaders: damaged ones are one line, and BTF is next' damaged_kheaders
	rm -f /sys/kernel/kheaders.tar.xz
}

mkdir -p $work
[ -n "${VM_LAYOUT:-}" ] || hide_headers
! part kheaders || kheaders
btf=
if [ -e /sys/kernel/btf/vmlinux ]; then
	btf=1
	check 'BTF: found without headers' says 'from BTF'
	check 'BTF: in a file' layout btf
else
	skip 'BTF: this kernel has none'
fi
if [ -n "$btf" ] && part modules && [ -x "$builddir/tests/unit/check_btf" ]; then
	modprobe -qa overlay xfs nfs
	CK_RUN_CASE=kernel check 'BTF: of each module' "$builddir/tests/unit/check_btf"
fi
hide_btf
rm -f $cache/*.layout
check 'learned: found without BTF, too' says 'learned from objects'
check 'learned: in a file' layout learned
if [ -n "$btf" ]; then
	check 'learned: each place is the one that BTF tells' same_places
else
	skip 'learned: each place is the one that BTF tells: this kernel has none'
fi
if part conform; then
	image_facts=learned.tar.gz check 'learned: built at a desk from its facts' image learned --layout learned --no-kprobes
	check 'learned: the conformance program ran' conform learned
fi
