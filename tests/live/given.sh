#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --given: names as programs gave them, beside the paths that they led to. LIVE_IMAGE must have been built with it.
. "$(dirname "$0")/lib.sh"

given=$(program conform_given) || skip_all 'tests/conform/conform_given cannot be built'

# rows DIR: of the program, in its directory
rows()
{
	cells "$1" fs operation,filename,given,command | awk -F'\t' -v dir="$tmp/work" '
		$4 == "conform_given" && (index($2, dir "/") || $2 == dir) { print $1 "\t" $2 "\t" $3 }'
}

mkdir work
record s -e fs --given -- "$given" "$tmp/work" >expected
check 'recorded' [ $? = 0 ]
check 'the program named files in all ways' [ "$(wc -l <expected)" = 43 ]
rows s >found
check 'each call on a name has the one that it was given, where that is another text' diff expected found
check 'nothing was lost' no_loss s fs

# the same in every tier
[ -z "${LIVE_IMAGE:-}" ] || exit 0

# filters are about the paths that names lead to
rm -r work && mkdir work
record f -e fs --given --path "$tmp/work/d/real/f" --operation open -- "$given" "$tmp/work" >expected
check 'recorded with filters' [ $? = 0 ]
check '--path is about filename' diff <(grep -P "^OPEN\t\Q$tmp/work/d/real/f\E\t" expected) <(rows f)

# tokens in place of names, the same as in filename
rm -r work && mkdir work
record a -e fs --given --anonymize -- "$given" "$tmp/work" >expected
check 'recorded anonymised' [ $? = 0 ]
anonymised()
{
	cells a fs operation,filename,given,command | awk -F'\t' '
		$4 != "conform_given" || $3 == "" { next }
		/real|to-f|link/ { print "a name: " $0; bad++ }
		# f of the working directory is the last part of its path
		$1 == "OPEN" && $3 !~ /\// { n++; if (substr($2, length($2) - length($3)) != "/" $3) { print "another token: " $0; bad++ } }
		END { print n + 0 " of one part"; exit bad || n < 2 }'
}
check 'names as given are tokens' anonymised

rm -r work && mkdir work
record n -e fs -- "$given" "$tmp/work" >expected
check 'recorded without' [ $? = 0 ]
none() { [ "$(cells n fs given | sort -u)" = '' ] && [ "$(rows n | wc -l)" = 43 ]; }
check 'without --given the column is empty' none

needs_an_image_with_it()
{
	"$IOTRACER" build -q --root / --no-headers -e fs -o without &&
		! "$IOTRACER" record -o i --no-kprobes --image without -e fs --given -- true 2>said &&
		grep -q 'built without --given' said
}
check 'an image without it is refused where it is asked for' needs_an_image_with_it
