#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs that nobody here wrote, against a count that is not ours: what fio
# says of itself, what a tree is known to hold, and what strace sees when it
# runs inside the recording, so that both see the same calls.
#
# What strace shows and the trace does not have, by its rules: calls on pipes,
# sockets and other descriptors without a path, and on what lies below /dev,
# /proc and /sys. What the trace has and strace does not say: the last CLOSE of
# a file among close calls, and the file at an address (MUNMAP, MREMAP, MSYNC,
# MADVISE). Neither is compared here; the conformance program does.
#
# Nothing may be lost, on a busy machine either: hence the large buffers.
#   LIVE_PROGRAMS  which of them (fio sqlite tar rsync git)
#   LIVE_FILES     how many files the tree has; the database, seven rows for each (3000)
. "$(dirname "$0")/lib.sh"

# 32 MiB a CPU, 256 MiB together
pages=8192
while [ $((pages * $(getconf _NPROCESSORS_ONLN))) -gt 65536 ]; do
	pages=$((pages / 2))
done

n_files=${LIVE_FILES:-3000}

have()
{
	command -v "$1" >/dev/null && return 0
	skip "$1 is not installed"
	return 1
}

# rows_of SESSION AWK-CONDITION: on operation (op), name, flags, size and ret; prints rows and bytes moved
rows_of()
{
	cells "$1" fs operation,filename,flags,size,return_value |
		awk -F'\t' "{ op = \$1; name = \$2; flags = \$3; size = \$4; ret = \$5 }
			$2 { n++; if (ret > 0) bytes += ret }
			END { printf \"%d %d\n\", n, bytes }"
}

# ---- strace beside the trace ----

# Lines "operation rows bytes" of what strace saw.
strace_counts()
{
	cat strace.* | awk '
		BEGIN {
			n = split("read READ pread64 READ readv READ preadv READ preadv2 READ write WRITE \
				pwrite64 WRITE writev WRITE pwritev WRITE pwritev2 WRITE open OPEN openat OPEN \
				openat2 OPEN creat OPEN fsync FSYNC fdatasync FDATASYNC unlink UNLINK \
				unlinkat UNLINK rmdir RMDIR mkdir MKDIR mkdirat MKDIR rename RENAME \
				renameat RENAME renameat2 RENAME link LINK linkat LINK symlink SYMLINK \
				symlinkat SYMLINK truncate TRUNCATE ftruncate TRUNCATE stat GETATTR \
				lstat GETATTR fstat GETATTR newfstatat GETATTR statx GETATTR \
				chmod SETATTR fchmod SETATTR fchmodat SETATTR fchmodat2 SETATTR chown SETATTR \
				lchown SETATTR fchown SETATTR fchownat SETATTR utime SETATTR utimes SETATTR \
				futimesat SETATTR utimensat SETATTR getdents READDIR getdents64 READDIR \
				access ACCESS faccessat ACCESS faccessat2 ACCESS readlink READLINK \
				readlinkat READLINK statfs STATFS fstatfs STATFS mknod MKNOD mknodat MKNOD \
				getxattr GETXATTR lgetxattr GETXATTR fgetxattr GETXATTR setxattr SETXATTR \
				lsetxattr SETXATTR fsetxattr SETXATTR listxattr LISTXATTR llistxattr LISTXATTR \
				flistxattr LISTXATTR removexattr REMOVEXATTR lremovexattr REMOVEXATTR \
				fremovexattr REMOVEXATTR inotify_add_watch WATCH flock LOCK fcntl LOCK \
				chdir CHDIR fchdir CHDIR mmap MMAP fallocate FALLOCATE sendfile SENDFILE", words)
			for (i = 1; i < n; i += 2)
				op[words[i]] = words[i + 1]
		}
		{
			call = substr($0, 1, index($0, "(") - 1)
			if (!(call in op))
				next
			args = substr($0, length(call) + 2)
			if (call == "fcntl" && args !~ /, F_(OFD_)?[SG]ETLKW?,/)
				next
			is = op[call]
			path = given = ""
			if (match(args, /[0-9]</)) {
				path = substr(args, RSTART + 2)
				sub(/>.*/, "", path)
			}
			if (match(args, /"[^"]*"/))
				given = substr(args, RSTART + 1, RLENGTH - 2)
			if (is == "MMAP" && path == "")
				next
			if (call ~ /^(p?(read|write)(64|v2?)?$|f(sync|datasync|truncate|stat|chmod|chown|chdir|allocate|statfs|lock|cntl|(get|set|list|remove)xattr)$|getdents|sendfile)/)
				given = path
			else if (given == "" || given !~ /^\//)
				given = (path != "" && given == "") ? path : "/" given
			if (given !~ /^\// || given ~ /^\/(dev|proc|sys)(\/|$)/)
				next
			if (call == "unlinkat" && $0 ~ /AT_REMOVEDIR/)
				is = "RMDIR"
			rows[is]++
			ret = $0
			sub(/.*\) += /, "", ret)
			if (is ~ /^(READ|WRITE|READDIR|SENDFILE)$/ && ret + 0 > 0)
				bytes[is] += ret
		}
		END { for (is in rows) printf "%s %d %d\n", is, rows[is], bytes[is] }' | LC_ALL=C sort
}

# The same of the rows, of all processes but strace.
row_counts()
{
	cells "$1" fs operation,command,filename,return_value |
		awk -F'\t' '
			$2 == "strace" || $3 ~ /^\/(dev|proc|sys)\// { next }
			$1 ~ /^(CLOSE|MUNMAP|MREMAP|MSYNC|MADVISE|DIO_|SYNC$)/ { next }
			{ rows[$1]++; if ($4 > 0 && $1 ~ /^(READ|WRITE|READDIR|SENDFILE)$/) bytes[$1] += $4 }
			END { for (is in rows) printf "%s %d %d\n", is, rows[is], bytes[is] }' | LC_ALL=C sort
}

# beside_strace NAME COMMAND...: records strace of the command and compares
beside_strace()
{
	local name=$1 status

	shift
	rm -rf strace.*
	record "$name" -m "$pages" -e fs -- strace -ff -y -s 0 -o "$tmp/strace" "$@" >"$name.out" 2>&1
	status=$?
	if ! ls strace.* >/dev/null 2>&1; then
		skip "$name: strace cannot trace here"
		return
	fi
	equal "$name: the program ended well" 0 "$status"
	strace_counts >strace_said
	row_counts "$name" >rows_said
	if cmp -s strace_said rows_said; then
		pass "$name: rows and bytes of $(wc -l <strace_said) operations as strace saw them"
	else
		fail "$name: strace (<) and the trace (>) differ: operation, rows, bytes"
		diff strace_said rows_said
	fi
	check "$name: nothing was lost" no_loss "$name"
}

sqlite_program()
{
	have sqlite3 && have strace || return
	{
		echo 'CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT, n INTEGER); CREATE INDEX i ON t (word);'
		echo 'BEGIN;'
		awk -v n=$((n_files * 7 + 11)) 'BEGIN { for (i = 0; i < n; i++)
			printf "INSERT INTO t (word, n) VALUES (\"w%07d\", %d);\n", (i * 7919) % 1000003, i }'
		echo 'COMMIT;'
		for i in 1 2 3 4 5; do
			echo "BEGIN; UPDATE t SET n = n + 1 WHERE id % 97 = $i; COMMIT;"
		done
		echo 'SELECT count(*), sum(n) FROM t; DELETE FROM t WHERE id > 1000; VACUUM;'
	} >bulk.sql
	beside_strace sqlite3 sqlite3 -init /dev/null "$tmp/bulk.db" '.read bulk.sql'
	check 'sqlite3: FDATASYNC or FSYNC, and UNLINK of the journal' bash -c "
		grep -q SYNC rows_said && grep -q '^UNLINK' rows_said"
}

git_program()
{
	have git && have strace || return
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null HOME=$tmp
	git init -q origin && cp -r tree origin/ && git -C origin add . &&
		git -C origin -c user.name=n -c user.email=e commit -qm one &&
		git -C origin gc -q || return
	beside_strace git git clone -q "$tmp/origin" "$tmp/clone"
	equal 'git: files in the clone' "$n_files" "$(find clone -type f -not -path '*/.git/*' | wc -l)"
	rm -rf clone origin
}

# ---- a tree of known size ----

make_tree()
{
	local i

	mkdir tree
	for ((i = 0; i < n_files; i++)); do
		((i % 100)) || mkdir "tree/d$((i / 100))"
		printf '%*s' $((i * 13 % 5003)) '' >"tree/d$((i / 100))/file $i"
	done
	n_dirs=$(find tree -type d | wc -l)
	n_bytes=$(find tree -type f -printf '%s\n' | awk '{ n += $1 } END { printf "%d", n }')
}

# names SESSION OPERATION [FLAG]: of those that succeeded below out
names()
{
	cells "$1" fs operation,filename,flags,return_value |
		awk -F'\t' -v op="$2" -v flag="$3" -v dir="$tmp/out/" '
			$1 == op && $4 >= 0 && index($2, dir) == 1 && (flag == "" || index($3, flag)) {
				sub(/\/$/, "", $2)
				print $2
			}' | LC_ALL=C sort
}

tar_program()
{
	tar --version 2>/dev/null | grep -q GNU || { skip 'no GNU tar'; return; }
	tar cf tree.tar tree
	mkdir out
	find "$PWD/tree" -type f | sed 's|/tree/|/out/tree/|' | LC_ALL=C sort >files
	find "$PWD/tree" -type d | sed 's|/tree|/out/tree|' | LC_ALL=C sort >dirs
	# shellcheck disable=SC2016 # the inner shell's
	record tar -m "$pages" -e fs -- bash -c 'tar xf tree.tar -C "$1" && rm -rf "$1/tree"' - "$tmp/out" ||
		fail 'tar or rm ended badly'
	check 'tar x, rm -rf: nothing was lost' no_loss tar
	check 'tar x: OPEN with O_CREAT of each file, by its name' cmp files <(names tar OPEN O_CREAT)
	check 'tar x: MKDIR of each directory, by its name' cmp dirs <(names tar MKDIR)
	equal 'tar x: bytes written' "$n_bytes" \
		"$(rows_of tar "op == \"WRITE\" && index(name, \"$tmp/out/\") == 1" | cut -d' ' -f2)"
	check 'tar x: the time of each file and directory is set' cmp <(LC_ALL=C sort files dirs) \
		<(names tar SETATTR ATTR_MTIME | LC_ALL=C sort -u)
	check 'rm -rf: UNLINK of each file, by its name' cmp files <(names tar UNLINK)
	check 'rm -rf: RMDIR of each directory, by its name' cmp dirs <(names tar RMDIR)
	rm -rf out tree.tar
}

rsync_program()
{
	have rsync || return
	mkdir out
	record rsync -m "$pages" -e fs -- rsync -a tree/ "$tmp/out/" || fail 'rsync ended badly'
	check 'rsync: nothing was lost' no_loss rsync
	equal 'rsync: bytes written' "$n_bytes" \
		"$(rows_of rsync "op == \"WRITE\" && index(name, \"$tmp/out/\") == 1" | cut -d' ' -f2)"
	equal 'rsync: bytes read' "$n_bytes" \
		"$(rows_of rsync "op == \"READ\" && index(name, \"$tmp/tree/\") == 1" | cut -d' ' -f2)"
	equal 'rsync: one RENAME for each file' "$n_files" \
		"$(rows_of rsync "op == \"RENAME\" && ret == 0 && index(name, \" -> $tmp/out/\")" | cut -d' ' -f1)"
	equal 'rsync: MKDIR of each directory below the top' $((n_dirs - 1)) "$(names rsync MKDIR | wc -l)"
	rm -rf out
}

# ---- fio ----

# Starting to trace takes longer than a job: one session has all of them, each
# job a file of its own. For job I that is data.I, and its report fio.I.

# fio_total JOB N KEY: the Nth place (1 reads, 2 writes) where the report has the key
fio_total()
{
	awk -v n="$2" -v key="\"$3\"" '$1 == key && ++found == n { sub(/,$/, "", $3); print $3; exit }' "fio.$1"
}

# The rows of all jobs, read once: operation, file, rows, bytes.
fio_table()
{
	cells fio fs operation,filename,return_value | awk -F'\t' -v OFS='\t' '
		{ is = $1 OFS $2; n[is]++; if ($3 > 0) bytes[is] += $3 }
		END { for (is in n) printf "%s\t%d\t%d\n", is, n[is], bytes[is] }' >fio.table
}

# fio_rows JOB OPERATIONS: rows and bytes of these together (a pattern)
fio_rows()
{
	awk -F'\t' -v ops="^($2)\$" -v file="$tmp/data.$1" '
		$1 ~ ops && $2 == file { n += $3; bytes += $4 }
		END { printf "%d %d\n", n, bytes }' fio.table
}

# fio_equal JOB NAME [DIO_]: operations and bytes of each kind as fio reports them
fio_equal()
{
	local rw n=0

	for rw in READ WRITE; do
		n=$((n + 1))
		equal "$2: operations and bytes of ${3:-}$rw" "$(fio_total "$1" $n total_ios) $(fio_total "$1" $n io_bytes)" \
			"$(fio_rows "$1" "${3:-}$rw")"
	done
}

# fio_job JOB ENGINE OPTION...: compares. A read of libaio or io_uring ends in an interrupt, and the
# kernel passes over our program where that interrupts another one: by how busy the machine is none
# to an eighth of them have no row (5.10, emulated). All of these must be in the ledger: short counts them.
fio_job()
{
	local job=$1 name="fio ${*:2}" rows total missing

	[ -f "fio.$job" ] || { skip "$name does not work here"; return; }
	rows=$(fio_rows "$job" 'READ|WRITE')
	total=$(($(fio_total "$job" 1 total_ios) + $(fio_total "$job" 2 total_ios)))
	missing=$((total - ${rows% *}))
	if [[ $2 =~ ^(libaio|io_uring)$ ]] && [ "$missing" -gt 0 ] && [ "$missing" -lt $((total / 2)) ]; then
		short=$((short + missing))
		equal "$name: $missing operations have no row, and bytes of the others" $((${rows% *} * 4096)) "${rows#* }"
		[[ $* != *direct=1* ]] || equal "$name: rows and bytes of DIO_ are the same" "$rows" "$(fio_rows "$job" 'DIO_READ|DIO_WRITE')"
		return
	fi
	fio_equal "$job" "$name"
	[[ $* != *direct=1* ]] || fio_equal "$job" "$name" DIO_
}

fio_program()
{
	local jobs=(psync vsync) i lost short=0

	have fio || return
	# there before, so that fio has nothing to lay out
	head -c 4194304 /dev/zero >data.0
	if dd if=data.0 of=/dev/null bs=4096 count=1 iflag=direct 2>/dev/null; then
		jobs+=('psync --direct=1' 'libaio --direct=1 --iodepth=8' 'io_uring --iodepth=8')
	else
		jobs+=('libaio --iodepth=8' 'io_uring --iodepth=8')
	fi
	if [ "$LIVE_TIER" != a ]; then
		jobs=("${jobs[@]:0:${#jobs[@]}-2}")
		skip 'fio: libaio and io_uring are seen in tier a only'
	fi
	for i in "${!jobs[@]}"; do
		[ "$i" = 0 ] || cp data.0 "data.$i"
		echo "fio --name=job --filename='$tmp/data.$i' --size=4m --rw=randrw --bs=4k --output-format=json" \
			"--output='$tmp/fio.$i' --ioengine=${jobs[i]} || rm -f '$tmp/fio.$i'"
	done >fio.jobs
	record fio -m "$pages" -e fs -- bash fio.jobs >/dev/null 2>&1 || fail 'fio: the session ended badly'
	fio_table
	for i in "${!jobs[@]}"; do
		# shellcheck disable=SC2086 # an engine and its options
		fio_job "$i" ${jobs[i]}
	done
	lost=$(lost fio fs)
	equal 'fio: as many losses in the ledger as operations without a row' "$short" "$lost"
	rm -f data.* fio.*
}

# Says what the program's claims said. Where a program of ours was skipped, all is done again.
run_program()
{
	local try sessions

	for try in 1 2 3; do
		("$1_program") >said
		sessions=(./*/manifest.json)
		grep -q '^FAIL: ' said && skipped "${sessions[@]%/*}" || break
		echo "$1: the kernel skipped a program in try $try"
		rm -rf -- "${sessions[@]%/*}" out clone origin bulk.db* data.* fio.*
	done
	cat said
	# shellcheck disable=SC2034 # what cases.sh ends with
	! grep -q '^FAIL: ' said || cases_failed=1
}

make_tree
for name in ${LIVE_PROGRAMS:-fio sqlite tar rsync git}; do
	began=$SECONDS
	run_program "$name"
	echo "$name: $((SECONDS - began)) s"
done
