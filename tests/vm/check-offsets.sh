#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-offsets.sh [--table] KERNEL...
# For every member that the BPF texts read: its offset by the kernel's headers (as a compiler lays
# them out), by its BTF and as it was learned, and the size of struct pt_regs likewise, the latter two left by guest-layout.sh in
# $VM_HOME/log/KERNEL (`iotracer doctor --layout btf --collect FILE` has iotracer/layout). Prints PASS, FAIL or SKIP for each kernel; with --table the table of
# doc/KERNELS.md, where letters say which sources tell an offset.

# shellcheck source=lib.sh source-path=SCRIPTDIR
. "$(dirname "$(readlink -f "$0")")/lib.sh"

includes=(linux/sched.h linux/sched/signal.h linux/fs.h linux/fs_struct.h linux/fdtable.h linux/dcache.h
	linux/mount.h linux/mm.h linux/pagemap.h linux/nsproxy.h linux/ns_common.h linux/net.h linux/socket.h
	linux/skbuff.h net/sock.h net/inet_sock.h linux/blk-mq.h linux/io_uring_types.h)

# "struct member", as layout.def has them
members()
{
	sed -n 's/^MEMBER(\([a-z0-9_]*\), \([a-z0-9_]*\), .*/\1 \2/p' "$vm_top/compat/layout/layout.def"
}

# program MEMBERS BUILD: one line of assembly for each member
program()
{
	local header type member

	for header in "${includes[@]}"; do
		echo "#if __has_include(<$header>)"
		echo "#include <$header>"
		echo '#endif'
	done
	echo 'void offsets(void);'
	echo 'void offsets(void)'
	echo '{'
	while read -r type member; do
		printf 'asm volatile("\\n-> %s.%s %%c0" :: "i" (__builtin_offsetof(struct %s, %s)));\n' \
			"$type" "$member" "$type" "$member"
	done <"$1"
	printf '%s\n' 'asm volatile("\n-> pt_regs %c0" :: "i" (sizeof(struct pt_regs)));'
	echo '}'
}

# compile PROGRAM BUILD SOURCE: its assembly
compile()
{
	local dir arch=x86 cc=gcc flags=(-mno-sse -mcmodel=kernel)

	if [ -d "$3/arch/arm64/include" ] && [ -d "$2/arch/arm64/include/generated" ]; then
		arch=arm64 cc=aarch64-linux-gnu-gcc flags=(-mgeneral-regs-only)
	fi
	for dir in "$3/arch/$arch/include" "$2/arch/$arch/include/generated" "$3/include" "$2/include" \
		"$3/arch/$arch/include/uapi" "$2/arch/$arch/include/generated/uapi" "$3/include/uapi" "$2/include/generated/uapi"; do
		flags+=("-I$dir")
	done
	"$cc" -nostdinc -isystem "$("$cc" -print-file-name=include)" "${flags[@]}" -include linux/kconfig.h \
		-include linux/compiler_types.h -D__KERNEL__ -DCC_USING_FENTRY -DKBUILD_MODNAME='"x"' -DKBUILD_BASENAME='"x"' \
		-std=gnu11 -fms-extensions -O2 -w -fno-pie -S -x c "$1" -o -
}

# by_headers KERNEL: "struct.member offset" of each that its headers have; what they lack is an
# error that names the line, and is left out of a second try
by_headers()
{
	local dir build source bad

	dir=$VM_HOME/$(kernel_name "$1")
	[ -f "$dir/release" ] || return # a kernel of another machine, whose layouts were put there
	build=$dir/usr/src/linux-headers-$(<"$dir/release")
	source=${build%-*}-common # the flavour is the last word
	[ -d "$source" ] || source=${build%-arm64*}-common # and two words of arm64-16k
	if [ -d "$dir/src" ]; then # an own build
		build=$dir/src
		source=$build
	fi
	members >"$work/members"
	program "$work/members" >"$work/x.c"
	if ! compile "$work/x.c" "$build" "$source" >"$work/x.s" 2>"$work/errors"; then
		bad=$(sed -n 's/^[^:]*x\.c:\([0-9]*\):[0-9]*: error:.*/\1/p' "$work/errors" | sort -un)
		# shellcheck disable=SC2046,SC2086 # numbers
		sed -i $(printf -- '-e %sd ' $bad) "$work/x.c"
		compile "$work/x.c" "$build" "$source" >"$work/x.s" || return
	fi
	sed -n 's/^-> //p' "$work/x.s" | sort
}

places()
{
	[ ! -f "$1" ] || awk '$1 == "member" || $1 " " $2 == "type pt_regs" { print $2, $3 }' "$1" | sort
}

# offsets KERNEL: "struct.member offset letter", a line for each source that tells
offsets()
{
	local log=${VM_LOGS:-$VM_HOME/log}/$1

	by_headers "$1" | sed 's/$/ h/'
	places "$log/btf.layout" | sed 's/$/ b/'
	places "$log/learned.layout" | sed 's/$/ l/'
}

verdict()
{
	awk -v name="$1" '
		{ n[$3]++; if ($1 in at && at[$1] != $2) { bad = bad " " $1 " " at[$1] from[$1] " " $2 $3 } at[$1] = $2; from[$1] = from[$1] $3 }
		END {
			told = n["h"] + 0 " by headers, " n["b"] + 0 " by BTF, " n["l"] + 0 " learned"
			if (bad) print "FAIL: offsets: " name ":" bad
			else if ((n["h"] > 0) + (n["b"] > 0) + (n["l"] > 0) < 2) print "SKIP: offsets: " name ": nothing to compare: " told
			else print "PASS: offsets: " name ": the same from every source that tells them (" told ")"
		}' "$work/$1"
}

table()
{
	local kernel

	echo "| member |$(printf ' %s |' "$@")"
	echo "|---|$(printf -- '---|%.0s' "$@")"
	members | while read -r type member; do
		printf '| %s.%s |' "$type" "$member"
		for kernel; do
			awk -v what="$type.$member" '$1 == what { if (!(($2) in by)) order[++n] = $2; by[$2] = by[$2] $3 }
				END { for (i = 1; i <= n; i++) printf " %s %s", order[i], by[order[i]]; printf n ? " |" : " |" }' "$work/$kernel"
		done
		echo
	done
}

as_table=
[ "${1:-}" != --table ] || { as_table=1; shift; }
vm_home
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for kernel; do
	offsets "$kernel" >"$work/$kernel"
	[ -n "$as_table" ] || verdict "$kernel" | tee -a "$work/verdicts"
done
[ -z "$as_table" ] || table "$@"
! grep -qs '^FAIL: ' "$work/verdicts"
