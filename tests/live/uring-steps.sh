#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream iouring: what happens to requests between submission and completion, the
# workers that run them, and how full the queues are, as conform_uring_steps says;
# and of a sample whole requests and whole chains.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-uring.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-uring.sh"

why=$(uring_forbidden) && skip_all "$why"
[ -d $events ] || skip_all 'this kernel has no events of io_uring'

uring=$(program conform_uring_steps) || skip_all 'tests/conform/conform_uring_steps is not built and cannot be'
needs_to_run "$uring"

# The generations, as in uring-ways.sh
known=
uring_event_has io_uring_submit_sqe req || uring_event_has io_uring_submit_req req && known+=' submit_req'
uring_event_has io_uring_complete req && known+=' complete_req'
uring_event_has io_uring_file_get req && known+=' file_req'
# The structure of rings is known, by the kernel's headers (of Debian in two parts) or BTF.
for dir in /lib/modules/"$(uname -r)"/{build,source} /usr/src/linux-headers-"$(uname -r | sed 's/-[^-]*$//')"-common; do
	[ "$LIVE_TIER" = c ] || [ ! -e "$dir/include/linux/io_uring_types.h" ] || known+=' types'
done
[ "$LIVE_TIER" = c ] || [ ! -e /sys/kernel/btf/vmlinux ] || [ -d "/lib/modules/$(uname -r)/build/include" ] || known+=' types'

record s -e iouring --extra-ops -m 1024 -- "$uring" "$tmp" >expected
check 'recorded' [ $? = 0 ]
sed -n 's/^SKIP: //p' expected | while read -r why; do
	skip "$why"
done

# The rows of all events: ring as its descriptor, the second request as its user_data
cells s iouring pid,event_type,ring,req,user_data,opcode,offset,length,result,link,fd |
	awk -F'\t' -v OFS='\t' -v pid="$(sed -n 's/^PID\t//p' expected)" -v known="$known" '
		$1 != pid { next }
		$2 == "CREATE" && $3 != "" { ring[$3] = $11 }
		{ all[++n] = $0 }
		END {
			for (i = 1; i <= n; i++) {
				$0 = all[i]
				if ($2 == "SUBMIT" && $4 != "")
					data[$4] = $5
				if ($2 == "FAIL_LINK" && known !~ /complete_req/)
					$6 = ""
				if ($2 != "SHORT_WRITE")
					$7 = $8 = "" # of the request
				print "=" $2, ($3 in ring ? ring[$3] : $3), $5, $6, $7, $8, $9,
					($10 == "" ? "" : $10 in data ? data[$10] : "?")
			}
		}' | sort >rows

# had EVENT: its rows
had()
{
	grep "^=$1	" rows
}

# Each row that an event must leave, and no other one, as far as this generation tells
once()
{
	awk -F'\t' -v OFS='\t' -v known="$known" -v event="=$1" '
		$1 != event { next }
		known !~ /submit_req/ && event ~ /LINK/ { $3 = $4 = ""; $8 = "?" }
		known !~ /submit_req/ && event ~ /FAIL/ { $2 = "" }
		# the one that failed has completed by then, and nothing but its address is left
		known !~ /complete_req/ && event ~ /FAIL/ { $4 = "" }
		known !~ /file_req/ && event == "=FILE_GET" { $3 = $4 = "" }
		known !~ /complete_req/ && event == "=LINK" && $9 != "" { $8 = $8 == "?" ? "?" : $9 }
		{ $9 = ""; sub(/\t$/, ""); print }' expected | sort >want
	had "$1" >have
	# other rings do so as well
	[ "$1" != FILE_GET ] || { awk -F'\t' 'NR == FNR { ring[$2]; next } $2 in ring' want have >mine && mv mine have; }
	[ -s want ] || return
	if [ "$1" != LINK ] || ! oldest; then
		diff want have
	fi
}

# Others, 6.1 among them, say the first request of the chain all the same
oldest()
{
	awk -F'\t' -v OFS='\t' '$1 == "=LINK" { $8 = $9; $9 = ""; sub(/\t$/, ""); print }' expected | sort | cmp -s - have
}

# Threads do such things for reasons of their own, too.
among()
{
	cells s iouring pid,event_type,ring,length,fd | awk -F'\t' -v OFS='\t' -v pid="$(sed -n 's/^PID\t//p' expected)" '
		$1 != pid { next }
		$2 == "CREATE" && $3 != "" { ring[$3] = $5 }
		{ print "+" $2, ($3 in ring ? ring[$3] : $3), $4 }' >have
	grep "^+$1" expected >want
	[ -s want ] && grep -qxFf want have
}

# What was submitted ends once: it completes, or that finds no room.
ends()
{
	cells s iouring pid,event_type,ring,user_data | awk -F'\t' -v pid="$(sed -n 's/^PID\t//p' expected)" '
		$1 != pid { next }
		$2 == "SUBMIT" { n[$3, $4]++; all++ }
		$2 == "COMPLETE" || $2 == "CQE_OVERFLOW" { n[$3, $4]-- }
		END { for (i in n) if (n[i]) { print i, n[i]; bad = 1 } exit bad || !all }'
}

# of a completion: its worker is one of the threads that there were (from 5.12 on they are seen), or there is none
workers()
{
	cells s iouring event_type,user_data,opcode,worker | awk -F'\t' -v kprobes="$([ "$LIVE_TIER" = a ] && echo 1)" '
		NR == FNR && $1 == "@IO_WQ" { thread[$2]; threads = 1 }
		NR == FNR && $1 == "@WORKER" && ($4 == "there" || kprobes) { want[$2] = $3 }
		NR == FNR && $1 == "@NO_WORKER" { none[$2] }
		NR == FNR { next }
		$1 != "COMPLETE" { next }
		$2 in none && $4 != "" { print $2 " has worker " $4; bad = 1 }
		!($2 in want) { next }
		$4 == "" || (threads && !($4 in thread)) { print $2 " has worker " $4; bad = 1 }
		{ seen++; delete want[$2] }
		END { for (i in want) bad = 1; exit bad || !seen }' expected -
}

# of a completion: the name of the file that its descriptor, or the registered one, is of
names()
{
	cells s iouring event_type,user_data,opcode,filename | awk -F'\t' -v file="$tmp/uring-file" \
		-v fixed="$([[ $LIVE_TIER != c && $known = *submit_req* ]] && echo 1)" '
		NR == FNR { if ($1 == "@FILE") want[$2] = $3 ? (fixed ? file : "") : file; next }
		$1 == "COMPLETE" && $2 in want { n++; if ($4 != want[$2]) { print $3 " of " $4; bad = 1 } }
		END { for (i in want) all++; exit bad || !n || n != all }' expected -
}

queues()
{
	grep '^@QUEUES' expected | sort >want
	cells s iouring event_type,ring,user_data,sq_fill,cq_fill,cq_taken,fd | awk -F'\t' -v OFS='\t' '
		NR == FNR { if ($1 == "@QUEUES") rings[$3]; next }
		$1 == "CREATE" { ring[$2] = $7 }
		$1 == "COMPLETE" { $4 = "" }
		($1 == "ENTER" || $1 == "COMPLETE") && ring[$2] in rings { print "@QUEUES", $1, ring[$2], $3, $4, $5, $6 }' \
		expected - | sort >have
	diff want have
}

buffers()
{
	cells s iouring event_type,user_data,buf_index | awk -F'\t' '
		NR == FNR { if ($1 == "@BUFFER") want[$2] = $3; next }
		$1 == "COMPLETE" && $3 != (($2 in want) ? want[$2] : "") { print $2 " has buffer " $3; bad = 1 }
		$2 in want { n++ }
		END { exit bad || n < 2 }' expected -
}

indexed()
{
	cells s iouring event_type,ring,fd,sqe_flags | awk -F'\t' -v want="$(sed -n 's/^@INDEXED\t//p' expected)" '
		$1 == "CREATE" { ring[$2] = $3 }
		$1 == "ENTER" && $4 == "REGISTERED_RING" { n++; bad += ring[$2] != want }
		END { exit bad || n != 1 }'
}

# Without the option descriptors are no rows
files_are_extra()
{
	record plain -e iouring -m 1024 -- "$uring" "$tmp" >/dev/null &&
		[ "$(cells plain iouring event_type | grep -c FILE_GET)" = 0 ] &&
		[ "$(cells plain iouring event_type | grep -c SUBMIT)" -gt 40 ]
}

# Of a sample: each chain and each request alone is there with all of its rows, or not at all; calls
# are there, and what was left out is counted, is no loss, and readers say so.
sample()
{
	local counted left

	rm -rf sample
	record sample -e iouring --uring-sample-rate 4 -m 1024 -- "$uring" "$tmp" many >expected || return
	cells sample iouring event_type,user_data | awk -F'\t' -v links="$([[ $known = *submit_req* ]] && echo 1)" '
		function whole(data, times) { return n["SUBMIT", data] * times == n["COMPLETE", data] && n["SUBMIT", data] < 2 }
		NR == FNR && $1 ~ /^@/ { kind[$2] = $1; times[$2] = $1 == "@SHOTS" ? $3 : 1 }
		NR == FNR && $1 == "SUBMIT" { all++ }
		NR == FNR && $1 == "ENTER" { calls++ }
		NR == FNR { next }
		{ n[$1, $2]++; rows[$1]++ }
		END {
			for (data in kind) {
				bad += !whole(data, times[data])
				queued += !n["SUBMIT", data] && n["QUEUE_ASYNC", data]
				if (kind[data] != "@CHAIN")
					continue
				kept += n["SUBMIT", data]; chains++
				for (i = data + 1; i < data + 3; i++)
					bad += !whole(i, 1) || n["SUBMIT", i] != n["SUBMIT", data] ||
						(links && n["LINK", i] + 0 != n["SUBMIT", i] + 0)
			}
			printf "%d of %d chains, %d of %d requests, %d calls; %d torn, %d rows of others\n", kept, chains,
				rows["SUBMIT"], all, calls, bad, queued
			exit bad || queued || !kept || kept == chains || rows["ENTER"] != calls || !calls
		}' expected - || return
	counted=$(lost sample iouring sampled)
	left=$(($(grep -c ^SUBMIT expected) - $(cells sample iouring event_type | grep -c SUBMIT)))
	[ "$counted" = "$left" ] || { echo "$counted counted as left out, $left not there"; return 1; }
	"$IOTRACER" uring sample >said 2>&1
	grep -q '^sampled: 1 of 4 requests was recorded' said || { cat said; return 1; }
	"$IOTRACER" report sample >said 2>&1
	grep -q 'iouring: 4 one of so many requests was recorded' said || { cat said; return 1; }
	! grep 'lost .* of iouring' sample.log
}

for event in DEFER LINK FAIL_LINK CQE_OVERFLOW SHORT_WRITE FILE_GET; do
	if [ ! -d $events/io_uring_"${event,,}" ]; then
		skip "$event: not in this kernel"
	elif grep -q "^=$event" expected; then
		check "$event: each once (tier $LIVE_TIER:$known)" once $event
	fi
done
for event in CQRING_WAIT LOCAL_WORK TASK_WORK; do
	name=${event,,}
	[ "$event" = CQRING_WAIT ] || name+=_run
	if [ ! -d $events/io_uring_"$name" ]; then
		skip "$event: not in this kernel"
	elif grep -q "^+$event" expected; then
		check "$event" among $event
	fi
done
if [[ $known = *complete_req* ]]; then
	check 'each request ends once' ends
fi
grep -q '^@WORKER' expected && check 'workers' workers
if [ -d $events/io_uring_poll_arm ] && grep -q '^@FILE' expected; then
	check 'names of files' names # before 5.7 descriptors are not told
fi
if [[ $known = *types* ]]; then
	check 'how full the queues are' queues
	check 'index of a buffer' buffers
	grep -q '^@INDEXED' expected && check 'index of a ring' indexed
fi
check 'FILE_GET only with --extra-ops' files_are_extra
check 'nothing is lost' no_uring_loss s
check 'a sample has whole requests and chains' again sample sample
