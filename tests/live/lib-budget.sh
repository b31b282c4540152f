# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What tests of --budget ask of a recording of traced/budget.py, whose lines are in the file "told". Sourced, never run.

# Reads and bytes of all processes of the load, by themselves
told_sums()
{
	awk '{ n += $2; bytes += $3 } END { printf "%d %d\n", n, bytes }' told
}

# counted DIR: stream layers has all reads of each process, to the call and to the byte
counted()
{
	cells "$1" layers pid,layer,operation,count,bytes | awk -F'\t' '
		NR == FNR { split($0, word, " "); calls[word[1]] = word[2]; bytes[word[1]] = word[3]; next }
		$2 == "SYSCALL" && $3 == "READ" && $1 in calls { n[$1] += $4; moved[$1] += $5 }
		END {
			for (pid in calls)
				if (n[pid] != calls[pid] || moved[pid] != bytes[pid]) {
					print "process " pid ": " calls[pid] " reads of " bytes[pid] " bytes, counted " n[pid] ", " moved[pid]
					wrong = 1
				}
			exit wrong || !length(calls)
		}' told -
}

# changes DIR: of stream fs, a line each: time and factor
changes()
{
	cells "$1" lost mono_ns,stream,reason,factor | awk -F'\t' '
		$2 == "fs" && $3 == "budget" && $4 != factor + 0 { print $1, $4; factor = $4 }
		BEGIN { factor = 1 }'
}

# spans DIR: of stream fs, a line each: from when until when one factor was in force, and the factor
spans()
{
	cells "$1" lost mono_ns,stream,reason,factor | awk -F'\t' '
		BEGIN { factor = 1 }
		$2 != "fs" || $3 != "budget" { next }
		$4 != factor { if (to) print from, to, factor; factor = $4; from = $1; to = 0 }
		$4 == factor { to = $1 }
		END { if (to) print from, to, factor }'
}

# by_whole_files DIR: where one of several files was kept, each that has rows has as many as the others of its process
by_whole_files()
{
	{
		spans "$1"
		echo rows
		cells "$1" fs mono_ns,latency_ns,operation,pid,filename
	} | awk '
		$1 == "rows" && NF == 1 { rows = 1; next }
		!rows { from[++n] = $1; to[n] = $2; factor[n] = $3; next }
		$3 == "READ" && $5 ~ /\/load\/f[0-9]+$/ {
			while (at < n && $1 >= from[at + 1]) at++
			# decided where a call begins or returns: one of each process may be under way as the factor changes
			if (at && factor[at] > 1 && $1 >= from[at] && $1 + $2 < to[at] && begun[at " " $4]++) {
				count[at " " $4 " " $5]++
				last[at " " $4 " " $5] = $1 " for " $2
			}
		}
		END {
			for (key in count) {
				split(key, word, " ")
				of = word[1] " " word[2]
				if (!(of in most) || count[key] > most[of]) most[of] = count[key]
				if (!(of in least) || count[key] < least[of]) { least[of] = count[key]; which[of] = word[3] " at " last[key] }
				files[of]++
			}
			for (of in most) {
				if (most[of] < 10 || files[of] < 2) continue
				compared++
				# a file is read once a round
				if (least[of] < most[of] - 1) { print of ": " least[of] " to " most[of] " reads a file: " which[of]; wrong = 1 }
			}
			print compared + 0 " times of a process compared"
			exit wrong || !compared
		}'
}

# within A B PERCENT: they differ by no more
within()
{
	awk -v a="$1" -v b="$2" -v percent="$3" 'BEGIN {
		d = a > b ? a - b : b - a
		printf "%s and %s: %.2f %%, of %.2f\n", a, b, b ? 100 * d / b : 0, percent
		exit !(b > 0 && d <= b * percent / 100)
	}'
}

# agree DIR: files, amp and report have what the load did, as far as they say
agree()
{
	local dir=$1 reads bytes mine mine_bytes error others alone factor

	read -r reads bytes < <(told_sums)
	# Python's own reads, of modules, are counted, too
	read -r others < <(cells "$dir" layers pid,layer,operation,count | awk -F'\t' '
		NR == FNR { split($0, word, " "); known[word[1]] = 1; next }
		$2 == "SYSCALL" && $3 == "READ" && !($1 in known) { n += $4 } END { print n + 0 }' told -)
	mine=$("$IOTRACER" amp "$dir" --by host --csv 2>/dev/null | column --sum sys_reads)
	[ "$mine" = $((reads + others)) ] || echo "amp: $mine of $((reads + others))"
	[ "$mine" = $((reads + others)) ] || return 1
	"$IOTRACER" files "$dir" --by dir --json >"$dir.files" 2>/dev/null
	# alone: events that no file which was kept stands for; sums are without them
	read -r mine mine_bytes error alone factor < <(python3 "$tests_dir/readers/budget_sums.py" "$dir.files" "$tmp/load")
	echo "files: standard error of bytes $error %, $alone calls are not in it"
	within "$mine" $((reads - alone)) 2 || return 1
	# of a few of its 300 files, the error itself is a guess
	if [ "$factor" -le 32 ]; then
		within "$mine_bytes" "$((bytes * (reads - alone) / reads))" "$(awk -v e="$error" 'BEGIN { print 2 + 4 * e }')" || return 1
	fi
	mine=$("$IOTRACER" report "$dir" --section operations --csv 2>/dev/null | awk -F, '$1 == "fs" && $2 == "READ" { print $3 }')
	within "$mine" $((reads + others - alone)) 2
}
