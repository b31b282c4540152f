# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For scripts in a guest: makes it a machine without kernel headers, or without BTF, until it
# ends. Sourced, never run.

hide_headers()
{
	mkdir -p /tmp/hidden && mount --bind /tmp/hidden /usr/src
}

hide_btf()
{
	[ ! -e /sys/kernel/btf ] || { mkdir -p /tmp/hidden && mount --bind /tmp/hidden /sys/kernel/btf; }
}
