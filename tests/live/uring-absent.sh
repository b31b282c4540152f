#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Kernels without io_uring: one calm line of doctor, a reason where the stream
# was asked for by name, no word where it was not. Of saved hosts, and of this
# kernel where it is one.
. "$(dirname "$0")/lib.sh"

reason='this kernel has no io_uring'

one_line()
{
	"$IOTRACER" doctor --root "$tests_dir/hosts/$1" >"$1.doctor"
	[ "$(grep -c "$reason" "$1.doctor")" = 1 ] && grep -q "^iouring .* off: $reason" "$1.doctor" &&
		! grep -q '^fs .*io_uring\|^iouring.*tracepoint' "$1.doctor"
}

# Asked for alone it is an error; among others a warning; unasked nothing.
image_for()
{
	local host=$tests_dir/hosts/$1 status

	"$IOTRACER" build --root "$host" --no-headers -e iouring -o image 2>alone.log
	status=$?
	[ $status = 1 ] && one_message alone.log && grep -q "nothing can be traced here: $reason" alone.log || return
	"$IOTRACER" build --root "$host" --no-headers -e exec,iouring -o image 2>among.log &&
		[ "$(grep -c "no rows of iouring: $reason" among.log)" = 1 ] || return
	"$IOTRACER" build --root "$host" --no-headers -e '!fs' -o image 2>others.log && ! grep -q io_uring others.log
}

here()
{
	local status

	record named -e iouring -- true
	status=$?
	[ $status = 1 ] && one_message named.log && grep -q "$reason" named.log && [ ! -e named ] || return
	record all -- true && ! grep -q 'iot_\?uring' all.log && [ ! -e all/iouring ]
}

for host in 4.14 4.18-el8; do
	check "$host: doctor has one line" one_line $host
	[ -n "${LIVE_IMAGE:-}" ] || check "$host: told where it was asked for" image_for $host
done
if "$IOTRACER" doctor | grep -q "$reason"; then
	check 'here: told where it was asked for' here
fi
