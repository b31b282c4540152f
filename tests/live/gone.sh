#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# No name is called certain because a mount has the place in memory of another one that is gone.
. "$(dirname "$0")/lib.sh"

gone=$(program conform_gone) || skip_all 'conform_gone cannot be built'
mkdir once
(cd once && "$gone")
case $? in
0) ;;
77) skip_all 'open_tree is not there, or needs root' ;;
*) skip_all 'no namespaces of mounts can be made here' ;;
esac
mkdir work
cd work || exit 1
check 'recorded' record ../s -e fs -- "$gone"
cd ..
# status and name of what was opened in namespaces (150), and on copies (151 x 40)
cells s fs operation,path_status,filename | awk -F'\t' '$1 == "OPEN" && /(seen|copied)$/ { print $2, $3 }' | sort | uniq -c | tee names
check 'what is in a namespace has its name' [ "$(awk -v name="$PWD/work/seen" '$3 == name { n += $1 } END { print n }' names)" = 150 ]
check 'what is on no mount has none that is certain' [ "$(awk '$3 ~ /copied$/ && $2 != "f" && $2 != "o" { n += $1 } END { print n }' names)" = 6040 ]
check 'nothing was lost' no_loss s fs
