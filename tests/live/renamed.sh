#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A file is one under all of its names: an editor that saves by replacing, one that moves the old file aside, logs
# that are rotated while a program writes to them, and files of SQLite, which come again and again and nobody renames.
. "$(dirname "$0")/lib.sh"

command -v sqlite3 >/dev/null || skip_all 'sqlite3 is missing'
cat >load.sh <<'END'
# sed makes a new file each time, and gives it the name
echo one >doc
for i in 1 2 3; do sed -i "s/.*/$i/" doc; done
# as vim does: the old file goes aside and away, a new one gets its name
echo one >text
for i in 1 2; do
	mv text text~
	echo $i >text
	rm text~
done
# a log, written to through a descriptor until it is opened again; two old ones are kept
exec 3>>log
for i in 1 2 3 4; do
	dd if=/dev/zero bs=10 count=$i status=none >&3
	[ ! -e log.2 ] || mv log.2 log.3
	[ ! -e log.1 ] || mv log.1 log.2
	mv log log.1
	dd if=/dev/zero bs=10 count=1 status=none >&3
	exec 3>>log
	rm -f log.3
done
exec 3>&-
sqlite3 base.db 'create table t(x); insert into t values(1); insert into t values(2);'
# two files change places, by RENAME_EXCHANGE
echo a >a
for i in 1 2; do echo b >>b; done
python3 -c 'import ctypes; ctypes.CDLL(None).renameat2(-100, b"a", -100, b"b", 2)'
cat a >/dev/null
END
check 'recorded' record s -e fs -- bash load.sh
cat >wanted <<'END'
a 2 2
b 2 1
base.db 1 6
doc 4 4
log 1 0
log.1 2 5
log.2 3 4
log.3 (deleted) 4 2
log.3 4 3
text 2 3
END
"$IOTRACER" files s -q --csv --by identity --path "$tmp/*" | column filename,names,writes | sed "s#^$tmp/##" |
	grep -v '^base.db-journal\|^load.sh' | LC_ALL=C sort >files
check 'files under all of their names' diff wanted files
"$IOTRACER" files s -q --csv --path "$tmp/*" --top 0 | column --sum writes,write_bytes,reads >apart
check 'nothing is counted twice, or not at all' [ "$("$IOTRACER" files s -q --csv --by identity --path "$tmp/*" | column --sum writes,write_bytes,reads)" = "$(cat apart)" ]
"$IOTRACER" files s -q --csv --names --path "$tmp/*" | column filename,name | sed "s#$tmp/##g; s/sed[A-Za-z0-9]\{6\}/sedN/" | LC_ALL=C sort >names
check 'their names' diff - names <<'END'
a a
a b
b a
b b
doc doc
doc sedN
doc sedN
doc sedN
log.1 log
log.1 log.1
log.2 log
log.2 log.1
log.2 log.2
log.3 (deleted) log
log.3 (deleted) log.1
log.3 (deleted) log.2
log.3 (deleted) log.3
log.3 log
log.3 log.1
log.3 log.2
log.3 log.3
text text
text text~
END
"$IOTRACER" files s --names --path "$tmp/doc" >shown
check 'for people' grep -qE "  $tmp/doc +$tmp/doc\$" shown
check 'as JSON' bash -c '"$0" files s -q --json --names | python3 -c "import json, sys; json.load(sys.stdin)[\"names\"]"' "$IOTRACER"
"$IOTRACER" files s --names --by dir >/dev/null 2>said
check 'not with another key' grep -q 'names goes with --by identity' said
