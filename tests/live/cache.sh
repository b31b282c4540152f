#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Streams cache and pagefault of a command, against what mincore, smaps and
# getrusage say of the same pages. What only the whole machine shows
# (write-back by others, drop_caches, reclaim) is tests/vm/guest-cache.sh.
. "$(dirname "$0")/../lib-live.sh"
# shellcheck source=../lib-pages.sh source-path=SCRIPTDIR
. "$live_dir/lib-pages.sh"

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

pages=$(program conform-pages) || skip_all 'tests/conform-pages is not built and cannot be'
tier=$LIVE_TIER steps=$tmp/steps
mkdir "$steps"

cat >work <<END
. "$live_dir/lib-pages.sh"
pages=$pages steps=$steps
run_steps all_steps $place n
run_steps steps_at_the_end $place n
# write-back that has not ended a second later is lost
[ $tier != a ] || sleep 1.2
END

record s -e cache,pagefault -m 1024 -- bash work
check 'recorded' [ $? = 0 ]
read_rows s "$place"
check 'nothing is lost without a word' no_loss s
choose_rows "$place"
claims_on_cache n "$place"
claims_on_faults n "$place"
