# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For test scripts that trace in tier a or b: asks build-server, on the host,
# for an image made from this guest's facts, because compiling inside takes
# minutes. Needs $iotracer and $rw, the way out of the guest. Sourced, never run.

# shellcheck disable=SC2154 # set by the script that sources this
# image NAME OPTION...: $rw/image-NAME, from `iotracer build OPTION...`; what
# another script of this boot asked for by that name is taken. Where guest-run hid the
# headers (VM_LAYOUT) the image is made without them. $image_facts: other facts than those
# that this collects.
image()
{
	local name=$rw/image-$1 facts=${image_facts:-facts.tar.gz} i

	shift
	[ -f "$rw/$facts" ] || "$iotracer" doctor --collect "$rw/$facts" || return
	if [ ! -f "$name.done" ]; then
		[ -z "${VM_LAYOUT:-}" ] || [[ " $* " =~ " --no-headers "|" --layout " ]] || set -- "$@" --layout "$VM_LAYOUT"
		echo "$facts $*" >"$name.part"
		mv "$name.part" "$name.want"
	fi
	for ((i = 0; i < 120; i++)); do
		[ -f "$name.done" ] && break
		sleep 1
	done
	[ "$(cat "$name.done" 2>/dev/null)" = 0 ] || { cat "$name.log"; return 1; }
}
