#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Calls that seccomp refuses have no beginning that can be seen: where system calls are told apart by their number
# (tier b, Linux 6.2 to 6.18), those on a path are rows of their end.
. "$(dirname "$0")/lib.sh"

refused=$(program conform_refused) || skip_all 'conform_refused cannot be built'
"$refused"
[ $? != 77 ] || skip_all 'no filter of system calls can be set here'
record s -e fs -- "$refused"
check 'recorded' [ $? = 0 ]
cells s fs operation,call,filename,latency_ns,return_value,flags | grep -P '\t-13\t' | tee rows >&2
if grep -q '"chosen": "CALLS_BY_NUMBER"' s/manifest.json; then
	check 'each call on a path is a row with its error, and no time' diff rows - <<-END
		MKDIR	mkdirat	$tmp/refused/New/		-13	S_IRUSR|S_IWUSR|S_IXUSR|S_IRGRP|S_IXGRP
		UNLINK	unlinkat	$tmp/gone		-13	
		RMDIR	unlinkat	$tmp/dir/		-13	
		OPEN	openat	$tmp/opened		-13	O_RDWR|O_CREAT
	END
else
	check 'no row says anything else of them' [ ! -s rows ]
fi
check 'nothing was lost' no_loss s fs
