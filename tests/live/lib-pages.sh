# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of streams cache and pagefault share: steps, each one thing
# that tests/conform/conform_pages does to a file while it is traced, with what the
# kernel counted meanwhile in a file of the step's name; and the claims that
# the rows add up to those counts. Sourced, never run, after cases.sh.
#   pages   path of conform_pages
#   steps   directory for what the steps print, and for the rows
#   tier    a, b or c
#   claims  what claims begin with
#   whole_machine  set when all tasks are traced, kworkers too
#   plain   set when pages come and go in plain tracepoints, which do not tell the file's size
#   ends_lost  set when the trace says that it lost ends of write-back: they come in
#           interrupts, where the kernel skips programs that would interrupt others

export LC_ALL=C         # tools are slow otherwise, which counts in an emulated machine
page=$(getconf PAGESIZE)
claims='' whole_machine='' ends_lost='' plain=''
file_pages=1001                 # of a; the last one is not full
small_pages=301                 # of the others
fault_pages=321

# step NAME SCENARIO FILE [ARG]...: a line for run_steps
step()
{
	echo "$@"
}

# run_steps COMMAND...: the steps that the command prints, one after the other
# shellcheck disable=SC2154 # set by the script that sources this
run_steps()
{
	"$@" | "$pages" steps "$steps"
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
	step "$n.sync" sync "$dir/w"
}

# f: see ways[] in conform_pages.c
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
	steps_of_reads "$@"
	steps_of_losses "$@"
	steps_of_writes "$@"
	steps_of_faults "$@"
}

# ---- rows ----

# n_of: what was counted, by keys STEP:KEY (from the steps), STEP:EVENT (pages in rows of the
# step's process on its file), STEP:EVENT* (in rows of its file, whose ever); of faults by the
# step's child on its file: STEP:TYPE (rows), and what fault_sums says
declare -A n_of

# read_rows TRACE DIR...: those of the file systems of these directories, and of none at all, once
read_rows()
{
	local trace=$1 devices

	shift
	plain=''
	! grep -q '"chosen": "CACHE_ADD"' "$trace/manifest.json" || plain=1
	devices=$'\t'"($(stat -c '%Hd:%Ld' "$@" | paste -sd'|'))?\$"
	cells "$trace" cache event_type,pid,inode,index,count,command,size,offset,filename,device 2>/dev/null |
		grep -E "$devices" >"$steps/rows.cache"
	cells "$trace" pagefault pid,inode,fault_type,severity,offset,address,latency_ns,mapping,pages,filename,device |
		grep -E "$devices" >"$steps/rows.faults"
	return 0
}

# Both read "step key value" lines first, then rows of the device.
cache_sums()
{
	awk -F'\t' -v device="$1" -v rows="$steps/rows" '
		NR == FNR { split($0, w, " "); of[w[1] ":" w[2]] = w[3]; steps[w[1]]; next }
		$10 == device { print >rows; by[$1 " " $2 " " $3] += $5; file[$1 " " $3] += $5; events[$1] }
		END {
			printf "" >rows
			for (s in steps)
				for (e in events) {
					pid = e " " of[s ":pid"] " " of[s ":inode"]
					all = e " " of[s ":inode"]
					if (pid in by) print s ":" e, by[pid]
					if (all in file) print s ":" e "*", file[all]
				}
		}' "$steps/counted" "$steps/rows.cache"
}

# TYPE: rows; .MINOR and .MAJOR of them; .pages: different ones; .strides: rows of pages that are
# no multiple of the stride; .idle: rows without a latency; .maps: different addresses of the
# file's first page; .mapped: pages that the kernel mapped, .counted: rows that know how many;
# .name: of the file, .mapping: its word, a number when there are several
fault_sums()
{
	awk -F'\t' -v device="$1" -v page="$page" '
		function hex(text,  n, i) {
			for (i = 3; i <= length(text); i++)
				n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
			return n
		}
		function one(key, value) { if (!((key, value) in seen)) { seen[key, value]; n[key]++ } }
		NR == FNR {
			split($0, w, " ")
			if (w[2] == "child") step[w[3]] = w[1]
			if (w[2] == "stride") stride[w[1]] = w[3]
			if (w[2] == "inode") inode[w[1]] = w[3]
			next
		}
		$11 == device && $1 in step && $2 == inode[step[$1]] {
			key = step[$1] ":" $3
			n[key]++
			n[key "." $4]++
			n[key ".strides"] += $5 % stride[step[$1]] != 0
			n[key ".idle"] += $7 + 0 <= 0
			one(key ".pages", $5)
			address = hex($6)
			one(key ".maps", address - address % page - $5 * page)
			n[key ".mapped"] += $9
			n[key ".counted"] += $9 != ""
			one(key ".names", $10)
			name[key ".name"] = $10
			one(key ".mappings", $8)
			name[key ".mapping"] = $8
		}
		END {
			for (key in n) print key, n[key]
			for (key in name) print key, n[key "s"] == 1 ? name[key] : n[key "s"]
		}' "$steps/counted" "$steps/rows.faults"
}

# choose_rows DIR: those of the file system that the directory is on, in $steps/rows, and n_of
choose_rows()
{
	local device key n

	device=$(stat -c '%Hd:%Ld' "$1")
	(cd "$steps" && awk 'FILENAME !~ /^.\/(rows|counted)/ { print substr(FILENAME, 3), $1, $2 }' ./*) >"$steps/counted"
	n_of=()
	while read -r key n; do
		n_of[$key]=$n
	done < <(sed 's/ /:/' "$steps/counted"; cache_sums "$device"; fault_sums "$device")
}

# rows_of STEP EVENT: "index count" of the step's process on its file
rows_of()
{
	awk -F'\t' -v event="$2" -v pid="${n_of[$1:pid]}" -v inode="${n_of[$1:inode]}" '
		$1 == event && $2 == pid && $3 == inode { print $4, $5 }' "$steps/rows"
}

# ---- claims: each holds when all that is compared below it is the same ----

wrong=''

# same WHAT WANTED FOUND
same()
{
	[ -n "$2" ] && [ "$2" = "$3" ] || wrong+="${wrong:+; }$1: ${2:-nothing} wanted, ${3:-nothing} found"
}

# claim TEXT COMMAND...
claim()
{
	local text=$claims$1

	shift
	wrong=''
	"$@"
	if [ -z "$wrong" ]; then pass "$text"; else fail "$text: $wrong"; fi
}

# losses DIR: "number of stream: reason", a line each
losses()
{
	cells "$1" lost stream,reason,count 2>/dev/null | awk -F'\t' '
		$2 != "sampled" { n[$1 ": " $2] += $3 }
		END { for (i in n) print n[i] " of " i }'
}

# Nothing but ends of write-back may be lost, and no more of them than the trace says, and what
# the kernel skipped (system calls are preemptible from 7.2 on), with which it
# may have skipped what would tell where the faults of a short process were.
no_loss()
{
	local lost strange

	losses "$1" >"$steps/rows.losses"
	cat "$steps/rows.losses"
	# shellcheck disable=SC2154 # set by the script that sources this
	[ "$tier" = a ] || sed -i '/ pagefault: unresolved$/d' "$steps/rows.losses"
	# said last: that is what a failed claim is shown with
	strange=$(grep -v 'cache: no-return$\|: skipped$' "$steps/rows.losses")
	[ -z "$strange" ] || { echo "lost:$(tr -s '\n ' '; ' <<<" $strange")"; return 1; }
	lost=$(awk '{ n += $1 } END { print n + 0 }' "$steps/rows.losses")
	ends_lost=''
	[ "$lost" = 0 ] || ends_lost=1
	awk -F'\t' -v lost="$lost" '
		{ n[$1]++ }
		END {
			missing = n["WRITEBACK_START"] - n["WRITEBACK_END"]
			print "ends missing:", missing, "lost:", lost
			exit missing > lost
		}' "$steps/rows.cache"
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

# Pages of the file that no READAHEAD of the step has, and how many such rows have behind its end
not_ahead()
{
	rows_of "$1" READAHEAD | awk -v pages="${n_of[$1:pages]}" '
		{ for (i = $1; i < $1 + $2; i++) { if (i < pages) in_it[i]; else behind++ } }
		END { for (i in in_it) n++; print pages - n, behind + 0 }'
}

cold_read()
{
	local missing

	same 'MISS, pages of the file' $file_pages "${n_of[$1.cold:MISS]}"
	same 'MISS, mincore' "${n_of[$1.cold-look:cached]}" "${n_of[$1.cold:MISS]}"
	shows READAHEAD || return
	read -r missing behind < <(not_ahead "$1.cold")
	same 'pages without READAHEAD' 0 "$missing"
	# an event tells what is asked for
	[ "$tier" != a ] || same 'READAHEAD behind the end' 0 "$behind"
}

# From 5.12 to 5.18 (filemap_read came with the one, block_read_full_page went after the other) the kernel marks the
# page behind the last one of a read, too, and not the first of each further batch of 15 pages (5ccc944dce3d mends it)
marks_behind()
{
	[ "$tier" = a ] && [ "$(grep -cE ' (filemap_read|block_read_full_page)$' /proc/kallsyms)" = 2 ]
}

# warm_read STEP PAGES: so many with each call
warm_read()
{
	local hits=$file_pages reads=$((file_pages / $2))

	same 'MISS' 0 "${n_of[$1:MISS]:-0}"
	! marks_behind || hits=$((hits - reads * (($2 - 1) / 15) - (file_pages % $2 - 1) / 15))
	! shows HIT || same 'HIT' $hits "${n_of[$1:HIT]}"
	! shows READAHEAD || same 'READAHEAD' 0 "${n_of[$1:READAHEAD]:-0}"
}

random_read()
{
	local ahead=${n_of[$1:READAHEAD]:-0}

	same 'MISS, pages read' 100 "${n_of[$1:MISS]}"
	same 'MISS, mincore' "${n_of[$1-look:cached]}" "${n_of[$1:MISS]}"
	[ "$ahead" -le 100 ] || same 'READAHEAD' 'at most 100' "$ahead"
}

# goes STEP PAGES-BEFORE [FIRST COUNT]: pages that the step took away; one range, however many
# functions do it
goes()
{
	same 'EVICT, pages that mincore misses' $(($2 - ${n_of[$1-look:cached]:-0})) "${n_of[$1:EVICT]}"
	[ $# = 2 ] || ! shows INVALIDATE ||
		same 'INVALIDATE' "$3 $4" "$(rows_of "$1" INVALIDATE | sort -u | paste -sd,)"
}

# folios STEP FIRST COUNT: how many of those that the step brought have a page of the range
folios()
{
	rows_of "$1" MISS | awk -v first="$2" -v count="$3" '
		$1 < first + count && $1 + $2 > first { n++ }
		END { print n + 0 }'
}

# Plain tracepoints do not tell how large a folio is that becomes dirty: each counts as one page.
dirty_folios()
{
	same 'new file' "$(folios "$1.made" 0 $file_pages)" "${n_of[$1.made:DIRTY]}"
	same 'writes' "$(folios "$1.w-read" 10 60)" "${n_of[$1.write:DIRTY]}"
	same 'writes to a mapping' "$(folios "$1.w-read" 120 40)" "${n_of[$1.mapped:DIRTY]}"
}

# In smaps all pages of a dirty folio are dirty, as in the rows.
dirty_pages()
{
	same 'new file' $file_pages "${n_of[$1.made:DIRTY]}"
	same 'writes, smaps' "${n_of[$1.write-dirty:dirty]}" "${n_of[$1.write:DIRTY]}"
	same 'writes to a mapping, smaps' \
		$((${n_of[$1.mapped-dirty:dirty]:-0} - ${n_of[$1.write-dirty:dirty]:-0})) "${n_of[$1.mapped:DIRTY]}"
}

# ends WHAT PAGES-BEGUN PAGES-ENDED
ends()
{
	if [ -n "$ends_lost" ]; then
		[ "${3:-0}" -le "${2:-0}" ] || same "$1" "at most $2" "$3"
	else
		same "$1" "$2" "$3"
	fi
}

written_back()
{
	local file start

	same 'dirty after fsync' 0 "${n_of[$1.fsync-dirty:dirty]}"
	same 'START in fsync, pages dirty before' "${n_of[$1.mapped-dirty:dirty]}" "${n_of[$1.fsync:WRITEBACK_START]}"
	ends 'END of it' "${n_of[$1.fsync:WRITEBACK_START]}" "${n_of[$1.fsync:WRITEBACK_END]}"
	[ -n "$whole_machine" ] || return
	# kworkers, too
	for file in w-made made; do
		start=${n_of[$1.$file:WRITEBACK_START*]:-0}
		ends "$file: END" "$start" "${n_of[$1.$file:WRITEBACK_END*]}"
		[ "$start" -ge "${n_of[$1.$file:DIRTY*]:-0}" ] ||
			same "$file: START" "at least ${n_of[$1.$file:DIRTY*]}" "$start"
	done
}

# Every page that came is there or went.
balance()
{
	local file

	for file in a b r w f; do
		same "$file: MISS less EVICT and DROP, mincore" "${n_of[$1.end-$file:cached]}" \
			$((${n_of[$1.end-$file:MISS*]:-0} - ${n_of[$1.end-$file:EVICT*]:-0} - ${n_of[$1.end-$file:DROP*]:-0}))
	done
}

# What each row says of its file; the size is of the time of the event.
columns()
{
	local sizes

	same 'rows whose offset is not index times page size' 0 \
		"$(awk -F'\t' -v page="$page" '$4 != "" && $8 != $4 * page' "$steps/rows" | wc -l)"
	awk -F'\t' -v pid="${n_of[$1.cold:pid]}" -v inode="${n_of[$1.cold:inode]}" -v plain="$plain" '
		$2 == pid && $3 == inode { print (plain && $1 ~ /^(MISS|EVICT)$/ && $7 == "" ? "-" : $7) "\t" $9 }' \
		"$steps/rows" | sort -u >"$steps/rows.columns"
	same 'name' "$2/a" "$(cut -f2 "$steps/rows.columns" | sort -u | paste -sd,)"
	sizes=$(cut -f1 "$steps/rows.columns" | grep -vx -e - | sort -u | paste -sd,)
	# without kernel headers, and from plain tracepoints, there is none
	case $tier:$sizes in
	[bc]:) return ;;
	b:,*) sizes=${sizes#,} ;;
	esac
	same 'size' $(((file_pages - 1) * page / 4096)) "$sizes"
}

# What a fault maps is told by the thread's counts (before 6.2) or by a function (from 6.6 on).
knows_pages()
{
	grep -qE ' (sync_mm_rss|set_pte_range)$' /proc/kallsyms
}

# faults STEP TYPE FILE [each]: each page that is touched has a fault of its own
faults()
{
	local rows=$1:$2

	same '/proc/PID/stat' "${n_of[$1:minor]} ${n_of[$1:major]}" "${n_of[$1:stat_minor]} ${n_of[$1:stat_major]}"
	same 'rows' $((${n_of[$1:minor]:-0} + ${n_of[$1:major]:-0})) "${n_of[$rows]}"
	same 'name' "$3" "${n_of[$rows.name]}"
	same 'addresses of page 0' 1 "${n_of[$rows.maps]}"
	if [ "$tier" = a ]; then
		same 'MINOR' "${n_of[$1:minor]}" "${n_of[$rows.MINOR]:-0}"
		same 'MAJOR' "${n_of[$1:major]}" "${n_of[$rows.MAJOR]:-0}"
		same 'without latency' 0 "${n_of[$rows.idle]}"
	fi
	case $1 in
	*-private) same 'mapping' PRIVATE "${n_of[$rows.mapping]}" ;;
	*) same 'mapping' SHARED "${n_of[$rows.mapping]}" ;;
	esac
	if [ "$tier" = a ] && knows_pages; then
		same 'rows with pages' "${n_of[$rows]}" "${n_of[$rows.counted]}"
		same 'pages of the file in smaps' "${n_of[$1:mapped]}" "${n_of[$rows.mapped]}"
	else
		same 'rows with pages' 0 "${n_of[$rows.counted]}"
	fi
	[ "${4:-}" = each ] || return
	same 'rows, pages touched' "${n_of[$1:touched]}" "${n_of[$rows]}"
	same 'pages' "${n_of[$1:touched]}" "${n_of[$rows.pages]}"
	same 'pages beside those touched' 0 "${n_of[$rows.strides]}"
}

# claims_on_cache NAME DIR: as given to the steps
claims_on_cache()
{
	claim 'cold read: rows are its pages' cold_read "$1"
	claim 'warm read, page by page: hits alone' warm_read "$1.warm" 1
	claim 'warm read, 128 KiB: hits alone' warm_read "$1.large" $((131072 / page))
	claim 'random read: what is read' random_read "$1.random"
	claim 'a hole' goes "$1.punch" "${n_of[$1.cold-look:cached]}" 100 50
	claim 'truncate' goes "$1.cut" "${n_of[$1.punch-look:cached]}" 601 $((file_pages - 601))
	claim 'DONTNEED' goes "$1.dontneed" $small_pages 128 64
	claim 'direct write' goes "$1.direct" "${n_of[$1.dontneed-look:cached]}" 256 32
	n_of[$1.unlink-look:cached]=0
	claim 'last unlink' goes "$1.unlink" "${n_of[$1.u-look:cached]}"
	if [ "$tier" = c ]; then
		claim 'pages that become dirty' dirty_folios "$1"
	else
		claim 'pages that become dirty' dirty_pages "$1"
	fi
	! shows WRITEBACK_START || claim 'write-back, both ends' written_back "$1"
	claim 'what came is there or went' balance "$1"
	claim 'columns' columns "$@"
}

claims_on_faults()
{
	local name way stride type each

	for name in $fault_steps; do
		IFS=. read -r name way stride <<<"$name"
		type=WRITE each=''
		[ "$way" != read ] || type=READ
		case $name in
		cold | write | private | rewrite | kernel) each=each ;;
		esac
		claim "faults, $name: as getrusage counts" faults "$1.f-$name" $type "$2/f" $each
	done
}
