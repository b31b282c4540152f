#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each question of `iotracer help questions` is answered by its command lines, as they stand there: of a load
# (traced/questions.py) of which each answer is known, recorded with the streams that the question names and no
# others. What is expected of each is below; one of which nothing is expected fails. The answers that help and
# doc/QUESTIONS.md show have columns that the commands print.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'needs python3'
python=$(python_path)
uring=$(program conform_uring) && ! uring_forbidden || uring=

# those that need a file system on a disk
of_disks=' wrong slow-fsync waits-for-disk slow-program most-time busy-device busy-at disk-writers amplified-files amplified metadata busy-when cached '

# NAME, and what a line of the answer is like (an ERE); each of several lines of a name must be there. A read of a
# file in pieces is more than one request.
expected()
{
	cat <<-'END'
		wrong ^sync-bound +[a-z]+ .* dbase \([0-9]+( processes)?\) .* 37 syncs
		wrong ^one-byte-calls +[a-z]+ .* logger \([0-9]+( processes)?\) .* 1511 writes of one byte
		written 128 +8.0M +100% .*/data/big\.dat$
		written 74 +296.0K .* 37 .*/data/base\.db$
		filling 8\.3M .*\.app/data$
		kinds 598 +24\.8M .* dat$
		kinds 74 +296\.0K .* db$
		who-uses 387 +24\.0M .* copier +/.*/data/big\.dat$
		who-uses 211 +844\.0K .* seeker +/.*/data/big\.dat$
		when 20[0-9-]+ [0-9:.]+ +/.*/data/big\.dat$
		sequential 387 +24\.0M +99% .* copier$
		sequential 211 +844\.0K +[01]% .* seeker$
		read-again 598 +24\.8M .*/data/big\.dat$
		request-sizes ^write_request of write$
		request-sizes ^ +1 +2 +1511 
		small-writes 1612 +4\.6K .* logger$
		rewritten 59 +472 .* 58 .*/data/status$
		reopened ^ *101 .* 101 +3\.2K .*/log/reopened\.log$
		rotated 21 +105 .*/log/app\.log$
		rotated 3 +15 .*/log/app\.log\.1$
		deletes UNLINK .* cleaner .* 0 +/.*/data/temp42$
		deletes RENAME .* cleaner .* 0 +/.*/data/new -> /.*/data/state$
		deletes-most cleaner +45 +0 
		not-found OPEN +openat +ENOENT +53 +[0-9]+ +finder .*/app\.conf$
		failing-now OPEN .* finder .* ENOENT +/.*/app\.conf$
		failing-now CONNECT .* talker .* ECONNREFUSED .* 127\.0\.0\.1:[0-9]+$
		new-disk ^; [0-9]+ reads, writes and syncs are repeated\.$
		new-disk ^; left out: .*calls that fio's logs have no action for .*UNLINK
		new-disk ^ioengine=psync$
		who-syncs 74 +296\.0K .* 37 +0 +dbase$
		who-syncs 128 +8\.0M .* 1 +0 +copier$
		sync-gap ^ +8\.0K +16\.0K +37 
		slow-fsync ^ *37 .* FSYNC 
		slow-fsync FSYNC +dbase \([0-9]+\) .*/data/base\.db$
		disk-or-cpu ^ *38 .* FSYNC 
		disk-or-cpu ^ *1899 +[^ ]+ +[^ ]+ +[0-9]+% +[0-9]+% +0% +0% .* WRITE 
		waits-for-disk ^ *112 .* dbase \([0-9]+\) 
		waits-for-disk ^ *423 +[^ ]+ +[^ ]+ +[0-9]+% +[0-9]+% +[0-9]+% +[1-9][0-9]*% .* seeker \([0-9]+\) 
		slow-program ^ *112 .* dbase \([0-9/]+\) 
		slow-program ^ *0 .* [1-9][0-9]% .* starter \([0-9/]+\) 
		slow-at-night ^ *38 .* FSYNC 
		slowest ^ *[0-9.]+m?s .* OPEN +waiter \([0-9]+\) .*/data/leased$
		slowest-ones ^ *[0-9.]+m?s .* OPEN .* waiter .*/data/leased$
		waits-for starter \([0-9/]+\) .*true [0-9]+%
		slow-files ^ *946 .*/data/big\.dat 
		most-time FSYNC +38 +0 
		most-time WRITE +1899 +0 
		slow-now OPEN .* waiter .* [0-9]{5,}\.[0-9] .*/data/leased$
		who-runs starter +[1-9][0-9] 
		same-time [1-9][0-9]+ slices
		same-time FSYNC
		busy-device ^[0-9]+:[0-9]+ +[a-z0-9-]+ +[1-9][0-9]+ 
		busy-at direct +seeker +2(1[1-9]|[2-9][0-9]) +844\.0K +0 
		busy-at sync +dbase +[1-9][0-9] 
		disk-writers copier .* 128 +8\.0M .* 8\.0M +8\.0M 
		disk-writers dbase .* 296\.0K .* 0 +[3-9][0-9]{2}\.[0-9]K
		amplified-files 24\.8M +8\.0M +8\.8M +8\.0M +0\.36 +1\.00 .*/data/big\.dat$
		amplified-files 0 +296\.0K +0 +[23][0-9]{2}\.[0-9]K .*/data/base\.db$
		amplified 24\.0M +8\.0M +8\.0M +8\.0M +0\.33 +1\.00 .* copier$
		amplified 844\.0K +0 +844\.0K .* seeker$
		metadata : .*of writes below 4\.0K; a sync for each (50\.0|49\.9) writes; .* a request$
		busy-when 20[0-9-]+ [0-9:.]+ +[^ ]+ +[^ ]+ +[^ ]+ +[1-9][0-9.]*[KM] .* others$
		services 25\.7M +8\.3M .* /[^ ]*$
		in-containers 25\.7M +8\.3M .* [^ ]+$
		cached /data/big\.dat +[0-9:]+ +[0-9]+ +6144 +4096 +60% 
		faults /data/big\.dat +[0-9:]+ +[0-9]+ +64 
		connections ^TCP 127\.0\.0\.1:[0-9]+ 127\.0\.0\.1:[0-9]+ +talker +47 +0 +0 +46\.3K 
		connections ^TCP 127\.0\.0\.1:[0-9]+ 127\.0\.0\.1:[0-9]+ +talker +47 +0 +46\.3K +0 
		resent ^retransmissions +TCP sent 0 segments again$
		refused CONNECT .* talker .* ECONNREFUSED .* 127\.0\.0\.1:[0-9]+$
		uring-ways ^ *[1-9][0-9]* .* READ +conform_uring [0-9]+ 
		uring-slow [1-9][0-9.]*[mun]s .* READ
		programs EXEC .* true .* true short-lived 12$
		short-lived ^true +13 +13 +0 
		busy-processes copier .* 387 +24\.0M +128 +8\.0M 
		busy-processes talker .* 46\.3K +46\.3K 
		one-request ^fs +FSYNC +38 
		one-request ^nw +send +47 .* 46\.3K 
		glance ^busiest file: 24\.8M read and 8\.0M written: /.*/data/big\.dat$
		glance ^slowest operation: [0-9.]+m?s: [A-Z_]+ of fs by [a-z]+ 
		busy-now [0-9]+ copier$
		changed ^syncs +38 +75 +\+97\.4% +higher$
		changed operation +count +38 +75 +\+97\.4% +higher +fs FSYNC$
		for-weeks ^SYSCALL WRITE +- +1899 +0 +8\.3M 
		for-weeks ^SYSCALL SYNC +- +38 +0 
		complete : whole: [1-9][0-9]* segments, 
		not-seen ^fs +tier +- +[abc]$
		doctor ^kernel 
		doctor ^fs +READ +[abc] 
	END
}

expected >expectations
# tier c follows a descriptor by the name that it was opened under
[ "$LIVE_TIER" != c ] || sed -i -e 's/^rotated 21 +105 /rotated 24 +120 /; /^rotated 3 /d' expectations
check 'the questions as CSV' eval '"$IOTRACER" help questions --csv >table.csv'
python3 "$tests_dir/readers/questions_table.py" <table.csv >table
check 'at least thirty questions' [ "$(wc -l <table)" -ge 30 ]
case $(findmnt -no SOURCE -T "$tmp") in
/dev/*) of_disks= ;; # nothing to leave out
esac

# words_of LINE FILES [SYNCS]: $words are those of the line, with $recorded for DIR, FILES for /srv/app, and the load
# for whatever is traced. Numbers of processes and durations are left out.
words_of()
{
	local line=() word omit=

	eval "line=(${1#iotracer })"
	words=("${line[0]}")
	case ${line[0]} in
	record | watch | top) words+=("${tier_options[@]}") ;;
	esac
	[[ $1 != 'iotracer record'* || $1 == *--snapshot* ]] || words+=(--no-snapshots)
	for word in "${line[@]:1}"; do
		[ "$word" != -- ] || break
		case ${omit:+omitted }$word in
		'omitted '*) omit='' && continue ;;
		-d | -p) omit=1 && continue ;;
		DIR | BEFORE) word=$recorded ;;
		AFTER) word=$recorded.after ;;
		02:00:00 | 12:03:00) word=$begin ;;
		03:00:00 | 12:04:00) word=$end ;;
		/srv/app*) word=$2${word#/srv/app} ;;
		esac
		words+=("$word")
	done
	case ${line[0]}:$1 in
	record:*iouring*) words+=(-- "$uring" "$2") ;;
	record:* | watch:* | top:*) words+=(-- "$python" -I -S "$tests_dir/live/traced/questions.py" "$2" ${3:+"$3"}) ;;
	esac
}

# ---- what is recorded: once for each list of options ----

declare -A dirs

# key_of LINE: its options, without a time and what is traced
key_of()
{
	sed -E 's/ -- .*//; s/ -[dp] [0-9a-z]+//g' <<<"$1"
}

while IFS=$'\x1f' read -r name line answer _; do
	key=$(key_of "$line")
	if [ -n "$line" ] && [ -z "${dirs[$key]:-}" ]; then
		dirs[$key]=r${#dirs[@]}
		[[ $line == *iouring* && -z $uring ]] || printf '%s\x1f%s\x1f\n' "${dirs[$key]}" "$line"
	fi
	[[ $answer != *AFTER* ]] || printf '%s\x1f%s\x1f74\n' "${dirs[$key]}.after" "$line"
done <table >lines
recorder()
{
	local line syncs

	while IFS=$'\x1f' read -ru 5 recorded line syncs; do
		mkdir "$recorded.app"
		words_of "$line" "$tmp/$recorded.app" "$syncs"
		"$IOTRACER" "${words[@]}" >"$recorded.log" 2>&1
		echo $? >"$recorded.status"
	done
}
begin=$(date '+%F %T')
# two at a time: the load waits for its disk, and a tracer for the kernel. A commit of the journal may be of both, and its
# owner a process of the other one
exec 5<lines
recorder &
recorder
wait $!
exec 5<&-
end=$(date -d '+1 second' '+%F %T')
while IFS=$'\x1f' read -r dir line _; do
	check "recorded: $line" eval "[ \"\$(cat $dir.status)\" = 0 ] || { tail -n 3 $dir.log; false; }"
done <lines

# ---- what is answered ----

# a thousandth of the time is more than 1,511 writes take where an interpreter needs seconds to start
mkdir -p home/.config/iotracer
echo 'severity.low 0' >home/.config/iotracer/findings.conf
export HOME=$tmp/home

# columns_of LINE: the pattern of a table's head, in which columns may be left out
columns_of()
{
	[[ $1 =~ ^[A-Z0-9_/%\ ]+(\([a-z]+\))?[A-Z0-9_/%\ ]*$ ]] && sed -E 's/[()]/[&]/g; s/ +/.*/g' <<<"$1"
}

# answers NAME SHOWN: `iotracer` with $words, as is expected of that name, and with the columns that are shown
answers()
{
	local pattern n=0

	"$IOTRACER" "${words[@]}" >out 2>err </dev/null || { cat err; return 1; }
	[ ! -e trace.pftrace ] || { cat err trace.pftrace >>out && rm trace.pftrace; }
	[ ! -e jobs ] || { cat err jobs/replay.fio >>out && rm -r jobs scratch; }
	while read -r pattern; do
		n=$((n + 1))
		grep -qaE -- "$pattern" out || { cat out && echo "no line like: $pattern"; return 1; }
	done < <(sed -n "s/^$1 //p" expectations)
	[ "$n" != 0 ] || { echo "nothing is expected"; return 1; }
	pattern=$(columns_of "$2") || return 0
	grep -qE "$pattern" out || { echo "no line has these columns: $2"; return 1; }
}

while IFS=$'\x1f' read -ru 4 name line answer shown; do
	recorded=$name
	[ -z "$line" ] || recorded=${dirs[$(key_of "$line")]}
	if [[ $of_disks == *" $name "* ]]; then
		skip "$name: no disk's file system at $tmp"
	elif [[ $line == *iouring* ]] && { [ -z "$uring" ] || [ "$(n_rows "$recorded" iouring)" = 0 ]; }; then
		skip "$name: no events of io_uring here"
	elif [ "$name:$LIVE_TIER" = for-weeks:c ]; then
		skip "$name: tier c does not count in the kernel"
	else
		mkdir -p "$recorded.app"
		words_of "$answer" "$tmp/$recorded.app"
		check "$name: $answer" answers "$name" "$shown"
	fi
done 4<table
cut -d ' ' -f 1 expectations | sort -u >with_answer
awk -F $'\x1f' '{ print $1 }' table | sort >asked
check 'no answer is expected to anything else' eval '! comm -23 with_answer asked | grep .'
