# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of streams cache and pagefault share: steps, each one thing
# that tests/conform-pages does to a file while it is traced, with what the
# kernel counted meanwhile in a file of the step's name; and the claims that
# the rows add up to those counts. Sourced, never run, after cases.sh.
#   pages   path of conform-pages
#   steps   directory for what the steps print, and for the rows
#   tier    a, b or c
#   claims  what claims begin with
#   whole_machine  set when all tasks are traced, kworkers too

page=$(getconf PAGESIZE)
claims='' whole_machine=''
file_pages=1001                 # of a; the last one is not full
small_pages=301                 # of the others
fault_pages=321

# step NAME SCENARIO FILE [ARG]...
step()
{
	local name=$1

	shift
	"$pages" "$@" >"$steps/$name" || echo "step $name failed"
}

# value STEP KEY
value()
{
	local key n

	while read -r key n; do
		[ "$key" != "$2" ] || { echo "$n"; return; }
	done <"$steps/$1"
}

# ---- steps: below directory $1, with names that begin with $2 ----

# a: read cold and warm, loses pages
steps_of_reads()
{
	local dir=$1 n=$2

	step "$n.made" make "$dir/a" $(((file_pages - 1) * page + 100))
	step "$n.cold" read "$dir/a" "$page"
	step "$n.cold-look" look "$dir/a"
	step "$n.warm" read "$dir/a" "$page"
	step "$n.large" read "$dir/a" 131072
	step "$n.punch" punch "$dir/a" 100 50
	step "$n.punch-look" look "$dir/a"
	step "$n.cut" truncate "$dir/a" $((600 * page + 10))
	step "$n.cut-look" look "$dir/a" $file_pages
	step "$n.random-made" make "$dir/r" $((small_pages * page))
	step "$n.random" random "$dir/r" 100
	step "$n.random-look" look "$dir/r"
}

# b: what advice and direct writes take away; u: what goes with its last name
steps_of_losses()
{
	local dir=$1 n=$2

	step "$n.b-made" make "$dir/b" $((small_pages * page))
	step "$n.b-read" read "$dir/b" 131072
	step "$n.dontneed" dontneed "$dir/b" 128 64
	step "$n.dontneed-look" look "$dir/b"
	step "$n.direct" direct "$dir/b" 256 32
	step "$n.direct-look" look "$dir/b"
	step "$n.u-made" make "$dir/u" $((100 * page))
	step "$n.u-read" read "$dir/u" 131072
	step "$n.u-look" look "$dir/u"
	step "$n.unlink" unlink "$dir/u"
}

# w: dirtied by writes and through a mapping, then written back
steps_of_writes()
{
	local dir=$1 n=$2

	step "$n.w-made" make "$dir/w" $((small_pages * page))
	step "$n.w-read" read "$dir/w" 131072
	step "$n.write" write "$dir/w" 10 60
	step "$n.write-dirty" look-dirty "$dir/w"
	step "$n.mapped" write-mapped "$dir/w" 120 40
	step "$n.mapped-dirty" look-dirty "$dir/w"
	step "$n.fsync" fsync "$dir/w"
	step "$n.fsync-dirty" look-dirty "$dir/w"
	step "$n.again" write "$dir/w" 200 32
	step "$n.again-dirty" look-dirty "$dir/w"
	sync
}

# f: see ways[] in conform-pages.c
fault_steps='cold.read.1 around.read.1 warm.read.16 write.write.4 private.write-private.4
	rewrite.rewrite.8 kernel.kernel.8 ahead.read.1'

steps_of_faults()
{
	local dir=$1 n=$2 name way stride

	step "$n.f-made" make "$dir/f" $((fault_pages * page - 100))
	for name in $fault_steps; do
		IFS=. read -r name way stride <<<"$name"
		case $name in
		cold | private | ahead) step "$n.f-$name-cold" cold "$dir/f" ;;
		esac
		if [ "$name" = ahead ]; then
			step "$n.f-$name" fault "$dir/f" "$way" "$stride" normal
		else
			step "$n.f-$name" fault "$dir/f" "$way" "$stride"
		fi
	done
}

# What is still there; behind it nothing comes or goes.
steps_at_the_end()
{
	local file

	for file in a b r w f; do
		step "$2.end-$file" look "$1/$file" $file_pages
	done
}

all_steps()
{
	mkdir -p "$1"
	steps_of_reads "$@"
	steps_of_losses "$@"
	steps_of_writes "$@"
	steps_of_faults "$@"
}

# ---- rows ----

# read_rows TRACE: all of them, once
read_rows()
{
	cells "$1" cache event_type,pid,inode,index,count,command,size,offset,filename,device >"$steps/all.cache"
	cells "$1" pagefault pid,inode,fault_type,severity,offset,address,latency_ns,filename,device >"$steps/all.faults"
}

# choose_rows DIR: those of the file system that the directory is on; and their sums,
# because there are many of them and many questions
choose_rows()
{
	local device

	device=$(stat -c '%Hd:%Ld' "$1")
	awk -F'\t' -v device="$device" '$9 == device' "$steps/all.faults" >"$steps/faults"
	awk -F'\t' -v device="$device" -v rows="$steps/cache" '
		$10 == device { print >rows; by[$1 " " $2 " " $3] += $5; of[$1 " - " $3] += $5 }
		END {
			printf "" >rows
			for (i in by) print i, by[i]
			for (i in of) print i, of[i]
		}' "$steps/all.cache" >"$steps/sums"
}

# cache_rows EVENT STEP: "index count" of the process of that step, on its file
cache_rows()
{
	awk -F'\t' -v event="$1" -v pid="$(value "$2" pid)" -v inode="$(value "$2" inode)" '
		$1 == event && $2 == pid && $3 == inode { print $4, $5 }' "$steps/cache"
}

# sum_by EVENT PROCESS INODE
sum_by()
{
	local event process inode n

	while read -r event process inode n; do
		[ "$event $process $inode" != "$*" ] || { echo "$n"; return; }
	done <"$steps/sums"
	echo 0
}

# sum EVENT STEP: pages of the process of that step, on its file
sum()
{
	sum_by "$1" "$(value "$2" pid)" "$(value "$2" inode)"
}

# sum_of_file EVENT STEP: pages of the file, by whomever
sum_of_file()
{
	sum_by "$1" - "$(value "$2" inode)"
}

# ---- claims ----

# same CLAIM WANTED FOUND
same()
{
	if [ -n "$2" ] && [ "$2" = "$3" ]; then
		pass "$claims$1 ($2)"
	else
		fail "$claims$1: ${2:-nothing} wanted, ${3:-nothing} found"
	fi
}

# Has this tier such rows on this kernel? Tiers b and c know what tracepoints tell.
shows()
{
	local events=/sys/kernel/tracing/events

	# shellcheck disable=SC2154 # set by the script that sources this
	case $tier:$1 in
	a:*) return 0 ;;
	*:HIT) [ -d $events/filemap/mm_filemap_get_pages ] ;;
	*:READAHEAD) [ -d $events/readahead/page_cache_ra_unbounded ] ;;
	*) return 1 ;;
	esac
}

# gone CLAIM STEP LOOK-BEFORE: pages that the step took away, by mincore
gone()
{
	same "$1: EVICT has the pages that mincore misses" \
		$(($(value "$3" cached) - $(value "$2-look" cached))) "$(sum EVICT "$2")"
}

# range CLAIM STEP FIRST COUNT: one range, however many functions take it away
range()
{
	shows INVALIDATE || return 0
	same "$1: INVALIDATE has the range" "$3 $4" "$(cache_rows INVALIDATE "$2" | sort -u | paste -sd,)"
}

# Pages that no READAHEAD of the step covers, and such behind the end of the file
outside()
{
	cache_rows READAHEAD "$1" | awk -v pages="$(value "$1" pages)" '
		{ for (i = $1; i < $1 + $2; i++) { if (i < pages) in_it[i]; else behind++ } }
		END { for (i in in_it) n++; print pages - n, behind + 0 }'
}

claims_of_reads()
{
	local n=$1

	same 'cold read: MISS has each page of the file' $file_pages "$(sum MISS "$n.cold")"
	same 'cold read: as many as mincore finds' "$(value "$n.cold-look" cached)" "$(sum MISS "$n.cold")"
	same 'warm reads: no MISS' '0 0' "$(sum MISS "$n.warm") $(sum MISS "$n.large")"
	same 'random read: MISS has the pages read' \
		"100 $(value "$n.random-look" cached)" "$(sum MISS "$n.random") 100"
	if shows HIT; then
		same 'warm read, page by page: HIT has each page' $file_pages "$(sum HIT "$n.warm")"
		# look-ups that tell the range asked for say it again for what is left of it
		if [ "$tier" = a ]; then
			same 'warm read, 128 KiB: HIT has each page' $file_pages "$(sum HIT "$n.large")"
		fi
	fi
	if shows READAHEAD; then
		if [ "$tier" = a ]; then
			same 'cold read: READAHEAD has each page, and none behind the last' '0 0' "$(outside "$n.cold")"
		else
			same 'cold read: READAHEAD has each page' '0' "$(outside "$n.cold" | cut -d' ' -f1)"
		fi
		same 'warm reads: no READAHEAD' '0 0' "$(sum READAHEAD "$n.warm") $(sum READAHEAD "$n.large")"
		check "${claims}random read: READAHEAD asks for no more than is read" [ "$(sum READAHEAD "$n.random")" -le 100 ]
	fi
}

claims_of_losses()
{
	local n=$1

	gone 'hole' "$n.punch" "$n.cold-look"
	range 'hole' "$n.punch" 100 50
	gone 'truncate' "$n.cut" "$n.punch-look"
	range 'truncate' "$n.cut" 601 $((file_pages - 601))
	same 'DONTNEED: EVICT has the pages that mincore misses' \
		$((small_pages - $(value "$n.dontneed-look" cached))) "$(sum EVICT "$n.dontneed")"
	range 'DONTNEED' "$n.dontneed" 128 64
	gone 'direct write' "$n.direct" "$n.dontneed-look"
	range 'direct write' "$n.direct" 256 32
	same 'last unlink: EVICT has the cached pages' "$(value "$n.u-look" cached)" "$(sum EVICT "$n.unlink")"
}

# folios STEP FIRST COUNT: how many of those that the step brought have a page of the range
folios()
{
	cache_rows MISS "$1" | awk -v first="$2" -v count="$3" '
		$1 < first + count && $1 + $2 > first { n++ }
		END { print n + 0 }'
}

# Plain tracepoints do not tell how large a folio is that becomes dirty: each counts as one page.
claims_of_dirty_folios()
{
	local n=$1

	same 'new file: DIRTY has each folio that MISS has' "$(folios "$n.made" 0 $file_pages)" "$(sum DIRTY "$n.made")"
	same 'writes: DIRTY has each folio' "$(folios "$n.w-read" 10 60)" "$(sum DIRTY "$n.write")"
	same 'writes through a mapping: likewise' "$(folios "$n.w-read" 120 40)" "$(sum DIRTY "$n.mapped")"
}

claims_of_dirty_pages()
{
	local n=$1

	same 'new file: DIRTY has each page' $file_pages "$(sum DIRTY "$n.made")"
	same 'writes: DIRTY has the pages that smaps calls dirty' \
		"$(value "$n.write-dirty" dirty)" "$(sum DIRTY "$n.write")"
	same 'writes through a mapping: likewise' \
		$(($(value "$n.mapped-dirty" dirty) - $(value "$n.write-dirty" dirty))) "$(sum DIRTY "$n.mapped")"
}

claims_of_writes()
{
	local n=$1 name start

	if [ "$tier" = c ]; then claims_of_dirty_folios "$n"; else claims_of_dirty_pages "$n"; fi
	same 'fsync leaves nothing dirty' 0 "$(value "$n.fsync-dirty" dirty)"
	shows WRITEBACK_START || return 0
	same 'fsync: WRITEBACK_START has the dirty pages' \
		"$(value "$n.mapped-dirty" dirty)" "$(sum WRITEBACK_START "$n.fsync")"
	same 'fsync: WRITEBACK_END belongs to it' "$(sum WRITEBACK_START "$n.fsync")" "$(sum WRITEBACK_END "$n.fsync")"
	[ -z "${whole_machine:-}" ] || for name in w-made made; do
		start=$(sum_of_file WRITEBACK_START "$n.$name")
		same "$name: as many pages WRITEBACK_END as START, kworkers included" \
			"$start" "$(sum_of_file WRITEBACK_END "$n.$name")"
		check "${claims}$name: no fewer than DIRTY ($start)" [ "$start" -ge "$(sum_of_file DIRTY "$n.$name")" ]
	done
}

# What each row says of its file; the size is of the time of the event.
claims_of_columns()
{
	local n=$1 sizes

	same 'offset is index times page size, wherever there is one' 0 \
		"$(awk -F'\t' -v page="$page" '$4 != "" && $8 != $4 * page' "$steps/cache" | wc -l)"
	awk -F'\t' -v pid="$(value "$n.cold" pid)" -v inode="$(value "$n.cold" inode)" '
		$2 == pid && $3 == inode { print $7 "\t" $9 }' "$steps/cache" | sort -u >"$steps/columns"
	same 'cold read: the name of the file' "$2/a" "$(cut -f2 "$steps/columns" | sort -u | paste -sd,)"
	sizes=$(cut -f1 "$steps/columns" | sort -u | paste -sd,)
	# without kernel headers, and from plain tracepoints, there is none
	case $tier:$sizes in
	[bc]: | b:,*) sizes=${sizes#,} ;;
	esac
	[ -z "$sizes" ] || same 'cold read: its size' $(((file_pages - 1) * page / 4096)) "$sizes"
	[ "$tier" != a ] || check "${claims}cold read: there is a size" [ -n "$sizes" ]
}

# Every page that came is there or went.
claims_of_balance()
{
	local n=$1 file

	for file in a b r w f; do
		same "$file: MISS less EVICT and DROP is what mincore finds in the end" "$(value "$n.end-$file" cached)" \
			$(($(sum_of_file MISS "$n.end-$file") - $(sum_of_file EVICT "$n.end-$file") - $(sum_of_file DROP "$n.end-$file")))
	done
}

claims_on_cache()
{
	claims_of_reads "$1"
	claims_of_losses "$1"
	claims_of_writes "$1"
	claims_of_balance "$1"
	claims_of_columns "$@"
}

# fault_rows STEP TYPE: "severity offset page-of-address latency name" of the step's child
fault_rows()
{
	awk -F'\t' -v pid="$(value "$1" child)" -v inode="$(value "$1" inode)" -v type="$2" '
		$1 == pid && $2 == inode && $3 == type { print $4 "-", $5, substr($6, 1, length($6) - 3), $7 "-", $8 }' \
		"$steps/faults"
}

# Offsets that a step touched, each with a fault of its own
every()
{
	seq -s, 0 "$1" $((fault_pages - 1))
}

claims_on_faults()
{
	local n=$1 dir=$2 name way stride type rows counted

	for name in $fault_steps; do
		IFS=. read -r name way stride <<<"$name"
		type=WRITE
		[ "$way" != read ] || type=READ
		rows=$steps/rows.$name
		fault_rows "$n.f-$name" $type >"$rows"
		counted="$(value "$n.f-$name" minor) minor $(value "$n.f-$name" major) major"
		same "fault, $name: getrusage and /proc/PID/stat agree" "$counted" \
			"$(value "$n.f-$name" stat_minor) minor $(value "$n.f-$name" stat_major) major"
		if [ "$tier" = a ]; then
			same "fault, $name: rows are what getrusage counts" "$counted" \
				"$(grep -c ^MINOR "$rows") minor $(grep -c ^MAJOR "$rows") major"
			same "fault, $name: each has a latency" 0 "$(awk '$4 + 0 <= 0' "$rows" | wc -l)"
		else
			same "fault, $name: rows are what getrusage counts" \
				$(($(value "$n.f-$name" minor) + $(value "$n.f-$name" major))) "$(wc -l <"$rows")"
		fi
		case $name in
		cold | write | private | rewrite | kernel)
			same "fault, $name: each page once" "$(every "$stride" | cksum)" \
				"$(awk '{ print $2 }' "$rows" | sort -n | paste -sd, | cksum)"
			;;
		esac
		same "fault, $name: the file's name, and one address for its first page" "1 $dir/f" \
			"$(while read -r _ offset address _ file; do echo $((address - offset)) "$file"; done <"$rows" |
				sort -u | awk '{ file = $2 } END { print NR, file }')"
	done
}
