#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Streams cache and pagefault of a command, against what mincore, smaps and
# getrusage say of the same pages. What only the whole machine shows
# (write-back by others, drop_caches, reclaim) is tests/vm/guest-cache.sh.
# alone: it calls sync(2), and counts which pages come and go
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-pages.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-pages.sh"
# shellcheck source=lib-events.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-events.sh"

# A disk's file system, whose pages come and go
place=
for dir in "$tmp" "$builddir"; do
	case $(stat -f -c %T "$dir") in
	ext2/ext3 | xfs) place=$(mktemp -d "$dir/pages.XXXXXX") && break ;;
	esac
done
[ -n "$place" ] || skip_all "neither $tmp nor $builddir is on ext4 or xfs"
undo()
{
	rm -rf "$place"
}

pages=$(program conform_pages) || skip_all 'tests/conform/conform_pages is not built and cannot be'
tier=$LIVE_TIER steps=$tmp/steps
mkdir "$steps"

cat >work <<END
. "$tests_dir/live/lib-pages.sh"
pages=$pages steps=$steps
run_steps all_steps $place n
run_steps steps_at_the_end $place n
# write-back that has not ended a second later is lost
[ $tier != a ] || sleep 1.2
END

# Folios of the steps' files that tasks of other names took, with these names
taken_by_others()
{
	cat "$steps"/* | awk '
		FILENAME == "-" { if ($1 == "inode") ours[sprintf("%x", $2)]; next }
		match($0, / ino [0-9a-f]+/) {
			ino = substr($0, RSTART + 5, RLENGTH - 5)
			task = $1
			sub(/-[0-9]+$/, "", task)
			if (ino in ours && task !~ /^(conform_pages|bash)$/) n[task]++
		}
		END { for (task in n) print n[task], task }' - <(watched)
}

# Memory is reclaimed whenever the machine likes (some do it without any
# pressure, with DAMON), and a trace of one command has no rows of that. The
# kernel's own ring says whether somebody else took pages of our files.
for _ in 1 2 3 4 5 6 7 8; do
	rm -rf s "${place:?}"/* "${steps:?}"/*
	watch filemap/mm_filemap_delete_from_page_cache "s_dev == $(($(stat -c '(%Hd << 20) + %Ld' "$place")))"
	record s -e cache,pagefault -m 1024 -- bash work
	recorded=$?
	others=$(taken_by_others)
	[ -n "$others" ] || break
	echo "once more, folios were taken by another task meanwhile: $others"
	sleep 1
done
[ -z "$others" ] || skip_all 'others take pages out of the cache all the time'
check 'recorded' [ "$recorded" = 0 ]
read_rows s "$place"
check 'nothing is lost without a word' no_loss s
choose_rows "$place"
claims_on_cache n "$place"
claims_on_faults n "$place"
