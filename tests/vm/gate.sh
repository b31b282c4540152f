# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the gate runs on which kernel: a row for each script (guest-NAME.sh), a column for each
# kernel as check-vm.sh takes it (:btf hides its headers, arm64- is another machine). A cell names the parts that the script
# does there, or is * for all of them, or - when it is not run. Rows stand in the order in which they run.
# Two kernels do everything that a kernel can tell about; the others what differs most from kernel to
# kernel and from machine to machine. `check-vm.sh --all` asks every kernel for everything. Sourced, never run.

gate_table()
{
	cat <<-'END'
		script    5.10      6.12:btf          arm64-6.1  6.1:btf   backports
		smoke     *         *                 *          *         *
		record    a,c,ends  a,f,cpu           a          a,b       a
		uring     a         a                 -          b         a
		calls     a         a                 -          -         -
		net       a         a,kernel          -          -         -
		layout    conform   kheaders,modules  -          -         -
		cache     a         a,b,c             -          -         -
		sched     a         -                 -          -         -
		files     counters  -                 -          -         -
		budget    *         -                 -          -         -
		programs  *         -                 -          -         -
		stacks    *         -                 -          -         -
		netfs     a         -                 -          -         -
		journals  *         -                 -          -         -
		block     -         *                 -          -         *
		huge      -         *                 -          -         -
		drop      -         a,c               -          -         -
		clock     -         *                 -          -         -
		without   -         *                 -          -         -
	END
}

gate_kernels()
{
	gate_table | sed -n '1s/^script *//p'
}

# gate_scripts KERNEL: those that run on it
gate_scripts()
{
	gate_table | awk -v kernel="$1" '
		NR == 1 { for (i = 2; i <= NF; i++) if ($i == kernel) at = i; next }
		at && $at != "-" { print $1 }'
}

# gate_parts KERNEL SCRIPT: its cell
gate_parts()
{
	gate_table | awk -v kernel="$1" -v script="$2" '
		NR == 1 { for (i = 2; i <= NF; i++) if ($i == kernel) at = i; next }
		$1 == script { print $at }'
}
