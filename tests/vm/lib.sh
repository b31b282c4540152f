# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the host-side scripts of the rig share: where images and kernels live,
# what a kernel is called, how a complaint looks. Sourced, never run.

vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
vm_top=$(cd "$vm_dir/../.." && pwd -P)
vm_name=${0##*/}

say()
{
	echo "$vm_name: $*" >&2
}

die()
{
	say "$@"
	exit 125
}

# What is booted: amd64, or arm64 on another user space than this machine's (get-root)
vm_arch=amd64

# use_arch amd64|arm64
use_arch()
{
	case $1 in
	amd64 | arm64) vm_arch=$1 ;;
	*) die "no such architecture: $1 (amd64, arm64)" ;;
	esac
}

kernel_prefix()
{
	case $vm_arch in
	amd64) echo deb- ;;
	*) echo "$vm_arch-" ;;
	esac
}

vm_home()
{
	mkdir -p "${VM_HOME:-$vm_top/.vm}/img" || exit 125
	VM_HOME=$(cd "${VM_HOME:-$vm_top/.vm}" && pwd -P)
	export VM_HOME
}

# need COMMAND PACKAGE [COMMAND PACKAGE]...
need()
{
	while [ $# -gt 0 ]; do
		PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null ||
			die "$1 is missing: install the package $2"
		shift 2
	done
}

# What it takes to make images and boot them.
vm_needs()
{
	case $vm_arch in
	amd64) need qemu-system-x86_64 qemu-system-x86 ;;
	arm64) need qemu-system-aarch64 qemu-system-arm ;;
	esac
	need mke2fs e2fsprogs mkfs.xfs xfsprogs rsync rsync \
		depmod kmod cpio cpio busybox busybox-static setpriv util-linux
}

# QEMU before 8.1 may go on executing what another CPU has just changed (deba78709ae8 mends it), as kernels do when
# they patch themselves: one guest in some ten died of it.
emulator_is_new()
{
	local version

	version=$("$1" --version 2>/dev/null | sed -n 's/.*version \([0-9.]*\).*/\1/p')
	[ -n "$version" ] && printf '8.1\n%s\n' "$version" | sort -VC
}

# shellcheck disable=SC2034 # read by run
# use_emulator NAME: the installed one, or that of get-qemu, as the command in emulator
use_emulator()
{
	local brought=$VM_HOME/qemu

	emulator=("$1")
	! emulator_is_new "$1" || return 0
	if [ ! -d "$brought" ] && ! "$vm_dir/get-qemu" >&2; then
		say "guests may die with $1 as it is installed; to try again: rm -r $brought"
		mkdir -p "$brought"
	fi
	[ ! -x "$brought/usr/bin/$1" ] ||
		emulator=("$brought/usr/bin/$1" -L "$brought/usr/share/qemu" -L "$brought/usr/share/seabios")
}

# 5.10 means deb-5.10, or k-5.10 for one put there by hand.
kernel_name()
{
	local prefix newest

	if [ "$vm_arch" != amd64 ]; then
		echo "$(kernel_prefix)${1#"$(kernel_prefix)"}"
		return
	fi
	for prefix in '' deb- k-; do
		[ ! -f "$VM_HOME/$prefix$1/bzImage" ] || { echo "$prefix$1"; return; }
	done
	# the newest has another number every few weeks
	newest=$(printf '%s\n' "$VM_HOME"/deb-[7-9]* | sort -V | tail -n 1)
	if [ "$1" = backports ] && [ -f "$newest/bzImage" ]; then
		echo "${newest##*/}"
	else
		echo "$1"
	fi
}

# A temporary directory below VM_HOME, gone when the script ends however it
# ends. The caller may define at_exit for more.
vm_temp=
vm_cleanup()
{
	local status=$?

	trap '' INT TERM HUP
	! declare -F at_exit >/dev/null || at_exit
	[ -z "$vm_temp" ] || rm -rf "$vm_temp"
	exit "$status"
}

make_temp()
{
	# What a script that was killed left behind.
	find "$VM_HOME" -maxdepth 1 -name 'tmp.*' -mmin +1440 -exec rm -rf {} +
	vm_temp=$(mktemp -d "$VM_HOME/tmp.$1.XXXXXX") || exit 125
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap vm_cleanup EXIT
}

# ext4_from TREE OUT.img SPARE-MB: an image that kernels from 4.14 on mount.
ext4_from()
{
	local mb files

	mb=$(du -sm --apparent-size "$1" | cut -f1)
	files=$(find "$1" | wc -l)
	rm -f "$2.new"
	PATH=$PATH:/usr/sbin:/sbin mke2fs -q -F -t ext4 -b 4096 -m 0 -N $((files + 4000)) \
		-O '^has_journal,^metadata_csum,^64bit,^resize_inode,^huge_file' \
		-E lazy_itable_init=0 -d "$1" "$2.new" \
		$((mb * 110 / 100 + files * 4 / 1024 + $3))M >/dev/null || return
	mv "$2.new" "$2"
}

# Of Debian's headers the generated half; the common one is found from there.
kernel_headers()
{
	local dir

	dir=$VM_HOME/$(kernel_name "$1")
	if [ -d "$dir/src" ]; then
		readlink -f "$dir/src"
	else
		echo "$dir/usr/src/linux-headers-$(<"$dir/release")"
	fi
}
