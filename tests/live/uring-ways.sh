#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stream iouring: the rows that conform_uring says its requests leave, and no
# others of it, with what this kernel and this tier can know of each.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-uring.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-uring.sh"

why=$(uring_forbidden) && skip_all "$why"

uring=$(program conform_uring) || skip_all 'tests/conform/conform_uring is not built and cannot be'
needs_to_run "$uring"

# Which generation: names are what the tracer's own facts ask about. fn: no events, functions instead
known=
[ -d $events ] || known+=' fn'
uring_event_has io_uring_submit_sqe req || uring_event_has io_uring_submit_req req && known+=' submit_req'
uring_event_has io_uring_complete req && known+=' complete_req'
uring_event_has io_uring_queue_async_work user_data && known+=' queue_data'
[ -d $events/io_uring_poll_arm ] && known+=' file_first'
[ "$LIVE_TIER" = c ] || known+=' headers'
[ "$LIVE_TIER" != a ] || known+=' kprobes'

record s -e iouring -m 1024 -- "$uring" "$tmp" >expected
check 'recorded' [ $? = 0 ]
sed -n 's/^SKIP: //p' expected | while read -r why; do
	skip "$why"
done

# What the rows of the program can say here: other cells are empty.
wanted()
{
	awk -F'\t' -v OFS='\t' -v known="$known" '
		BEGIN { n = split(known, words, " "); for (i = 1; i <= n; i++) is[words[i]] = 1 }
		!/^(CREATE|REGISTER|ENTER|SUBMIT|COMPLETE)\t/ { next }
		{
			request = $1 == "SUBMIT" || $1 == "COMPLETE"
			fixed = $9 ~ /FIXED_FILE/
			range = is["headers"] && (is["fn"] || is["submit_req"])
			# a completion says which request it is, or user_data does
			own = is["complete_req"]
			untold = !own && !is["fn"] && ($12 == "badfd" || $12 == "refused")
		}
		!is["kprobes"] && is["fn"] && request { next } # nothing tells
		!is["headers"] && is["fn"] { $2 = "" } # rings have no address
		untold && $1 == "SUBMIT" { next }
		untold { $4 = $6 = $7 = $9 = "" }
		request && !range { $6 = $7 = "" }
		request && !is["fn"] && !is["submit_req"] { $9 = "" }
		$1 == "SUBMIT" && own && !is["headers"] { $5 = $10 = $11 = "" }
		request && !own && !is["fn"] && !is["file_first"] { $5 = $10 = $11 = "" }
		fixed && $1 == "SUBMIT" && (is["fn"] || own) { $10 = $11 = "" }
		fixed && !(is["headers"] && (is["fn"] || is["submit_req"])) { $10 = $11 = "" }
		# what is no file of a file system has an inode that only the kernel knows
		$10 != "" && $11 == "" && !is["headers"] { $10 = "" }
		# 5.14 to 5.17 look whether it can be read before they look where
		$12 == "unreadable" && is["submit_req"] && !own { $6 = $7 = "" }
		# never begun, so nobody looked for its file
		$12 == "chain" && $8 == -125 && own && !is["headers"] { $5 = $10 = $11 = "" }
		$12 == "shared" && $1 == "COMPLETE" && !own { $5 = $10 = ""; $9 = ($9 ? $9 "|" : "") "AMBIGUOUS" }
		{ $12 = ""; print }' "$1" | sort
}

# The rows of the process, with the descriptor of the ring for its address. That FSYNC
# is for a worker, newer kernels write among the flags themselves.
had()
{
	cells s iouring pid,event_type,ring,user_data,opcode,fd,offset,length,result,sqe_flags,inode,filename |
		awk -F'\t' -v OFS='\t' -v pid="$(sed -n 's/^PID\t//p' expected)" -v also="$1" '
			$1 != pid { next }
			$2 !~ /^(CREATE|REGISTER|ENTER|SUBMIT|QUEUE_ASYNC|POLL_ARM|COMPLETE)$/ { next } # see uring-steps.sh
			$2 == "CREATE" && $3 != "" { ring[$3] = $6 }
			{ all[++n] = $0 }
			END {
				for (i = 1; i <= n; i++) {
					$0 = all[i]
					if ($3 in ring)
						$3 = ring[$3]
					if ($5 == "FSYNC" && $10 == "ASYNC")
						$10 = ""
					if ($2 == "POLL_ARM" || $2 == "QUEUE_ASYNC") {
						if (also)
							print $2, $3, $4, $5
					} else if (!also) {
						$1 = ""
						print substr($0, 2), ""
					}
				}
			}' | sort
}

rows_are_those_expected()
{
	wanted expected >want
	had '' >have
	[ -s want ] && diff want have
}

# Requests also go to workers and wait for reasons of their own: these do in any case.
steps()
{
	[ -s steps ] || had also >steps
	sed -n "s/^+\($1\t\)/\1/p" expected | awk -F'\t' -v OFS='\t' -v known="$known" '
		FILENAME == "steps" { have[$0]; next }
		known !~ /submit_req/ && $1 != "POLL_ARM" { $3 = $4 = "" }
		!(($1 OFS $2 OFS $3 OFS $4) in have) { print "no " $0; missing = 1 }
		END { exit missing }' steps -
}

# Of those that share user_data nobody knows which began when.
latencies()
{
	cells s iouring event_type,opcode,latency_ns,sqe_flags | awk -F'\t' '
		$1 != "COMPLETE" { next }
		$2 == "" || $4 ~ /AMBIGUOUS/ { if ($3 != "") bad++; next }
		$3 == "" || $3 >= 30e9 { bad++ }
		{ n++ }
		END { exit bad || !n }'
}

# The call of a ring that takes the longest is that of the whole program at most.
calls_took()
{
	cells s iouring event_type,latency_ns | awk -F'\t' '
		$1 !~ /^(ENTER|CREATE|REGISTER)$/ { next }
		$2 == "" || $2 <= 0 || $2 >= 30e9 { print; bad++ }
		{ n[$1]++ }
		END { exit bad || !n["ENTER"] || !n["CREATE"] || !n["REGISTER"] }'
}

check "rows are those expected (tier $LIVE_TIER:$known)" rows_are_those_expected
for event in QUEUE_ASYNC POLL_ARM; do
	if grep -q "^+$event" expected && [[ $known != *fn* ]]; then
		check "$event" steps $event
	fi
done
if [[ $known != *fn* || $known = *kprobes* ]]; then
	check 'latencies' latencies
fi
check 'every call took its time' calls_took
check 'nothing is lost' no_uring_loss s
