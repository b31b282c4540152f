#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A file has one name, whichever way it was named: through a link to its directory, through a link to
# itself, from a working directory behind a link, by a process in another mount namespace.
. "$(dirname "$0")/lib.sh"

mkdir -p data/real/sub other
echo text >data/real/file
ln -s real data/link
ln -s "$tmp/data/link/sub" data/far
ln -s real/file data/alias
ln -s real data/goes
cat >steps.sh <<-'END'
	cat data/link/file data/alias "$PWD/data/link/file" >/dev/null
	stat -L data/link/file data/alias >/dev/null
	stat data/link/file >/dev/null
	chmod 600 data/link/file "$PWD/data/alias"
	touch data/far/a data/link/sub/b
	mv data/far/a data/link/sub/c
	ln data/far/b data/far/d
	mkdir data/far/new
	rmdir data/link/sub/new
	rm data/far/b data/link/sub/c "$PWD/data/link/sub/d"
	cd data/link && cat file >/dev/null && stat -L file >/dev/null && cd ../..
	stat data/link/none data/goes/../none 2>/dev/null
	ln -s "$PWD/data/real" data/made
	stat data/made/file data/made/. >/dev/null
	rm data/made data/goes
END
# names DIR: of all rows that are about a file below data/, with their marks
names() { cells "$1" fs operation,filename,path_status | grep -F "$tmp/data/"; }
# strange DIR: those by another name than the file's own, or not certain; a link is itself where calls are on it
strange() { names "$1" | grep -vP "^\w+\t$tmp/data/(real(/\S*)?( -> $tmp/data/(real/\S*|made))?|none|made|goes)\tfm?\$"; }

record s -e fs -- bash steps.sh
check "recorded ($(names s | wc -l) rows)" [ "$(names s | wc -l)" -gt 40 ]
check 'nothing was lost' no_loss s fs
check 'each file has one name' [ -z "$(strange s | tee /dev/stderr)" ]
check 'calls on a link itself have its name' [ "$(names s | grep -cP "^UNLINK\t$tmp/data/(made|goes)\t")" = 2 ]
check 'files lists no name through a link' \
	[ -z "$("$IOTRACER" files --csv s | grep -E "data/(link|far|alias|goes/|made/)")" ]

ln -s real data/goes
record p -e fs --path "$tmp/data/real" -- bash steps.sh
known=$(names p | grep -cP "^(GETATTR|SETATTR|UNLINK|RENAME|LINK|MKDIR|RMDIR)\t")
check "--path keeps rows, whichever way the file was named ($known)" [ "$known" -ge 25 ]

# a link that is absolute leads below the root of who follows it
if unshare -m true 2>/dev/null; then
	cat >inside.sh <<-END
		mount --bind $tmp/other $tmp/data/real
		echo more >$tmp/data/link/other
		chmod 600 $tmp/data/link/other
		stat -L $tmp/data/link/other >/dev/null
		sleep 1.5
	END
	record n -e fs -- unshare -m --propagation private bash inside.sh
	check 'in another mount namespace, too' [ -z "$(cells n fs filename | grep "$tmp/data/link")" ]
	check "... (rows: $(cells n fs filename | grep -c "$tmp/data/real/other"))" \
		[ "$(cells n fs filename | grep -c "^$tmp/data/real/other\$")" -ge 5 ]
else
	skip 'no mount namespace of its own here'
fi

# and a storm of names that nobody has asked about does not make them less certain
cat >storm.py <<-END
	import os
	os.mkdir("storm")
	for i in range(12000):
	    os.close(os.open("storm/%d" % i, os.O_CREAT))
END
python3 storm.py
cat >stats.py <<-END
	import os
	for i in range(12000):
	    os.stat("storm/%d" % i)
END
record m -e fs -m 4096 -- python3 stats.py
check 'each of 12,000 names that are asked for at once is certain' \
	[ "$(cells m fs operation,filename,path_status | grep -cP "^GETATTR\t$tmp/storm/\d+\tfm?\$")" = 12000 ]
