#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# iotracer files on real programs: what is told of each file is what the program did.
#   LIVE_FILES  how many files the one with most of them makes (100000)
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-corpus.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-corpus.sh"

# value DIR FILE COLUMN [OPTION]...: of the only row whose name ends so
value()
{
	local dir=$1 file=$2 column=$3

	shift 3
	"$IOTRACER" files "$dir" -q --csv --path "$file" "$@" 2>/dev/null | column "$column" | sed '2,$s/^/and /'
}

# is DIR FILE COLUMN VALUE
is()
{
	local got

	got=$(value "$1" "$2" "$3")
	[ "$got" = "$4" ] || { echo "$3 of $2 is $got, not $4"; return 1; }
}

# has DIR TABLE LINE: a row of a file's histograms or errors ends so
has()
{
	"$IOTRACER" files "$1" -q --csv "--$2" 2>/dev/null | grep -q -- "$3\$" || {
		"$IOTRACER" files "$1" -q --csv "--$2" | grep -v /many/
		echo "no $3"
		return 1
	}
}

command -v python3 >/dev/null || skip_all 'needs python3'

n_files=3000 many=${LIVE_FILES:-100000}
cat >program.py <<'END'
import array, os, socket, sys
def write(fd, size, at):
    assert os.pwrite(fd, b"x" * size, at) == size
# rewrites 1
fd = os.open("rewrites", os.O_RDWR | os.O_CREAT)
for at in 0, 0, 4096, 0:
    write(fd, 4096, at)
os.close(fd)
# gaps of 8192 and 1024
fd = os.open("gaps", os.O_RDWR | os.O_CREAT)
os.write(fd, b"x" * 4096)
os.write(fd, b"x" * 4096)
os.fsync(fd)
os.write(fd, b"x" * 1024)
os.fdatasync(fd)
os.close(fd)
# a run of 16384
fd = os.open("run", os.O_RDWR | os.O_CREAT)
os.pwrite(fd, b"x" * 65536, 0)
for i in range(4):
    assert len(os.read(fd, 4096)) == 4096
os.lseek(fd, 40960, os.SEEK_SET)
assert len(os.read(fd, 100)) == 100
os.close(fd)
# one file that is read through two descriptions, in turns, and through a duplicate
a = os.open("run", os.O_RDONLY)
b = os.open("run", os.O_RDONLY)
c = os.dup(a)
for i in range(7):
    os.read((a, c)[i % 2], 1000)
    os.read(b, 1000)
for i in a, b, c:
    os.close(i)
# a file with errors
fd = os.open("errors", os.O_RDONLY | os.O_CREAT)
for i in range(3):
    try:
        os.write(fd, b"x")
    except OSError:
        pass
os.close(fd)
# vectored, sent and removed
fd = os.open("ways", os.O_RDWR | os.O_CREAT)
os.writev(fd, [b"a" * 10, b"b" * 20])
os.pwritev(fd, [b"c" * 40], 30)
assert os.preadv(fd, [bytearray(70)], 0) == 70
r, w = os.pipe()
os.sendfile(w, fd, 5, 50)
os.close(fd)
os.unlink("ways")
fd = os.open("ways", os.O_RDWR | os.O_CREAT)
os.write(fd, b"d" * 30)
os.close(fd)
# a sparse file of 10 GiB
fd = os.open("sparse", os.O_RDWR | os.O_CREAT)
os.ftruncate(fd, 10 << 30)
write(fd, 512, (10 << 30) - 512)
os.truncate("sparse", 0)
write(fd, 512, 0)
os.close(fd)
# one description that two processes read through in turns: passed on, and inherited
def reads_in_turns(end, fd):
    while True:
        when, passed, _, _ = end.recvmsg(1, socket.CMSG_SPACE(4))
        if not when:
            os._exit(0)
        if passed:
            fd = array.array("i", passed[0][2])[0]
        assert len(os.read(fd, 4096)) == 4096
        end.send(when)
for name in "passed", "inherited":
    with open(name, "wb", buffering=0) as f:
        f.write(b"x" * 65536)
    here, there = socket.socketpair()
    fd = os.open(name, os.O_RDONLY) if name == "inherited" else -1
    pid = os.fork()
    if not pid:
        here.close()
        reads_in_turns(there, fd)
    there.close()
    if name == "passed":
        fd = os.open(name, os.O_RDONLY)
    for i in range(2):
        assert len(os.read(fd, 4096)) == 4096
        with_fd = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))]
        here.sendmsg([b"x"], with_fd if name == "passed" and not i else [])
        here.recv(1)
    here.close()
    os.waitpid(pid, 0)
    os.close(fd)
# many files
os.mkdir("many")
for i in range(int(sys.argv[1])):
    with open("many/%d" % i, "wb", buffering=0) as f:
        f.write(b"x" * (i % 7))
END
record trace -e fs --rotate-rows 500 -m 1024 -- python3 program.py "$n_files"
# A program whose data moves inside the kernel, as that of cp does.
cat >copies.py <<'END'
import ctypes, os
a, b = (os.open(n, os.O_RDWR | os.O_CREAT) for n in ("from", "to"))
os.write(a, b"x" * 3000)
for i in range(3):
    assert os.copy_file_range(a, b, 1000, offset_src=i * 1000) == 1000
libc = ctypes.CDLL(None)
for i in range(5):
    assert libc.sync_file_range(b, ctypes.c_long(0), ctypes.c_long(3000), 7) == 0
END
if python3 -c 'import os; os.copy_file_range' 2>/dev/null; then
	record copies -e fs -- python3 copies.py
	check 'copies inside the kernel count: bytes' is copies to write_bytes 3000
	check 'syncs of a range count' is copies to syncs 5
fi

check 'no event was lost' no_loss trace
check 'rewrites: 1' is trace rewrites rewrites 1
check 'rewrites: all bytes written' is trace rewrites write_bytes 16384
check 'rewrites: half of it sequential' is trace rewrites write_sequential 0.500000
check 'sync gaps: 8192' has trace histograms 'gaps,sync_gap,,8192,16384,1,8192'
check 'sync gaps: 1024' has trace histograms 'gaps,sync_gap,,1024,2048,1,1024'
check 'synced bytes' is trace gaps synced_bytes 9216
check 'syncs' is trace gaps syncs 2
check 'a run of 16384' has trace histograms 'run,read_run,,16384,32768,1,16384'
check 'the bytes behind the seek are a run, too' has trace histograms 'run,read_run,,64,128,1,100'
check 'errors by call' has trace errors 'errors,write,EBADF,3'
check 'vectored writes' is trace ways write_bytes 100
check 'reads, and what was sent' is trace ways read_bytes 120
check 'calls are told apart: pwritev' has trace histograms 'ways,write_complete,pwritev2\?,32,64,1,40'
check 'calls are told apart: sendfile' has trace histograms 'ways,read_complete,sendfile,32,64,1,50'
check 'removed and made again: one file' is trace ways opens 2
check 'with its last inode' [ "$(value trace ways inode)" = "$(stat -c %i ways)" ]
check 'sparse: what was written' is trace sparse write_bytes 1024
check 'two descriptions and a duplicate: 16384 and two of 7000' has trace histograms 'run,read_run,,4096,8192,2,14000'

check 'a description that a child inherited: one run of both' has trace histograms '/inherited,read_run,,16384,32768,1,16384'
if "$IOTRACER" files trace | grep -q '^tier c'; then
	check 'a descriptor passed on: what the sender read is a run' has trace histograms '/passed,read_run,,8192,16384,1,8192'
else
	check 'a descriptor passed on: one run of both' has trace histograms '/passed,read_run,,16384,32768,1,16384'
fi

by_dir()
{
	"$IOTRACER" files trace -q --csv >all.csv && "$IOTRACER" files trace -q --csv --by dir >dir.csv &&
		python3 "$tests_dir/readers/files_checks.py" sums_of_directories "$tmp" "$n_files"
}
check "sums of files are the row of their directory, $n_files files" by_dir
check 'JSON is JSON, with the same sums' sh -c '"$1" files trace --json 2>/dev/null | python3 "$tests_dir/readers/files_checks.py" json_has_the_same' - "$IOTRACER"
check 'text says first what was traced, and limits in one line' sh -c '"$1" files trace | head -4 >head.txt &&
	grep -q "^command: .*program.py.* (in $2)$" head.txt && grep -q "^tier .*--section missing)$" head.txt' - "$IOTRACER" "$tmp"
check 'the manifest says what was traced, and where' python3 "$tests_dir/readers/files_checks.py" what_was_traced "$tmp"

check 'text says filters in words, and each limit once' sh -c '"$1" files trace >head.txt
	grep -q "^recorded only: processes [0-9]*$" head.txt && [ "$(grep -o "32-bit programs" head.txt | wc -l)" -le 1 ]' - "$IOTRACER"

# what failed on paths that nobody ever opened is a failure, too
record failures -e fs -- sh -c 'cat nowhere/x; cat absent; rmdir absent; cat program.py' 2>/dev/null
failed() { "$IOTRACER" files failures -q --errors --csv | grep -q ",$tmp/$1,[a-z0-9]*,$2,$3$"; }
check 'errors: of a path that is not there' failed absent ENOENT 1
check 'errors: and by each call' failed absent ENOENT 1
check 'errors: below a directory that is not there' failed nowhere/x ENOENT 1
frequent_first() { "$IOTRACER" files failures -q --errors | awk '
	rows { if (!($1 in n)) path[++k] = $1; n[$1] += $NF }
	$1 == "FILENAME" { rows = 1 }
	END { for (i = 2; i <= k; i++) bad += n[path[i]] > n[path[i - 1]]; exit k < 2 || bad }'; }
check 'errors: in text, the most frequent first' frequent_first
absent() { "$IOTRACER" files failures -q --csv | grep ",$tmp/absent,"; }
check 'these are no files otherwise' [ -z "$(absent)" ]
for answering in files report amp; do
	[ $answering = amp ] || "$IOTRACER" $answering failures --path /no/such/file >/dev/null 2>said
	[ $answering = amp ] || check "$answering: a path that nothing matches is told" grep -q 'none of [0-9]* rows matches --path /no/such/file' said
	"$IOTRACER" $answering failures -p 4194303 >/dev/null 2>said
	check "$answering: and a process" grep -q 'none of [0-9]* rows matches -p 4194303' said
done

# the same from compressed segments, from the first and the second half by time, and of two directories
record packed -e fs --compress gz --rotate-rows 500 -m 1024 -- sh -c 'rm -rf many; exec python3 program.py 100'
check 'compressed: rewrites' is packed rewrites rewrites 1
"$IOTRACER" files trace packed -q --csv >both.csv
check 'two directories of one host: added up, with host' sh -c 'head -1 both.csv | grep -q "^host,mntns," &&
	grep "/gaps," both.csv | wc -l | grep -qx 1'
halves()
{
	local a b whole

	whole=$("$IOTRACER" files trace -q --csv --by host | cut -d, -f8 | tail -1)
	a=$("$IOTRACER" files trace -q --csv --by host --to +200ms | cut -d, -f8 | tail -1)
	b=$("$IOTRACER" files trace -q --csv --by host --from +200ms | cut -d, -f8 | tail -1)
	[ $((a + b)) = "$whole" ] || { echo "$a + $b is not $whole"; return 1; }
}
check 'filters by time divide it' halves

# who uses a file: 7 lines written by the shell, copied by cat and read again by two of head
record users -e fs -- sh -c 'for i in 1 2 3 4 5 6 7; do echo "$i"; done >lines; cat lines >copy; head -c 14 copy; head -c 3 copy' >/dev/null
# used FILE KEY: what each read and wrote of it
used()
{
	"$IOTRACER" files users -q --csv --by "file,$2" --path "$tmp/$1" --sort "$2" | python3 "$tests_dir/readers/column.py" "$2,read_bytes,write_bytes,pids"
}
check 'a file by who uses it: the shell and cat' [ "$(used lines comm | tr '\n' ,)" = 'cat 14 0 1,sh 0 14 1,' ]
check 'two processes of a program are one' [ "$(used copy comm | head -2 | tr '\n' ,)" = 'cat 0 14 1,head 17 0 2,' ]
check 'and each by itself' [ "$(used copy pid | grep -cE '^[0-9]+ (14|3) 0 1$')" = 2 ]
little()
{
	"$IOTRACER" files trace -q --csv --by "$1" >whole.csv && "$IOTRACER" files trace -q --csv --by "$1" --memory 1K >parts.csv &&
		[ "$(wc -l <whole.csv)" -gt "$n_files" ] && cmp whole.csv parts.csv
}
check 'by file and program, in little memory: the same' little file,comm
check 'by file and process, too' little file,pid

check 'intervals are in the order of time, all of them' sh -c '"$1" files trace -q --interval 50ms --csv >intervals.csv && tail -n +2 intervals.csv | cut -d, -f1 | sort -nc &&
	[ "$("$1" files trace -q --interval 50ms | wc -l)" -ge "$(wc -l <intervals.csv)" ]' - "$IOTRACER"

# many files: 0 to 6 bytes each, and one read of each third one
many_files()
{
	"$IOTRACER" files big -q --csv --path '*/crowd/*' | python3 "$tests_dir/readers/files_checks.py" crowd "$many"
}
mkdir crowd
record big -m 16384 -e fs -- python3 "$tests_dir/readers/loads.py" make_crowd "$many"
check "$many files: nothing was lost" no_loss big
check "$many files: each with its bytes" many_files
rm -rf crowd big

# two mount namespaces, one path
two_namespaces()
{
	mkdir -p shared && record spaces -e fs -m 1024 -- sh -c 'echo 1 >shared/one
		unshare -m sh -c "mount -t tmpfs none shared && echo 22 >shared/one"' || return
	"$IOTRACER" files spaces -q --csv --path '*/shared/one' | python3 "$tests_dir/readers/files_checks.py" two_namespaces
}
if [ "$LIVE_TIER" = c ]; then
	skip 'two mount namespaces: tier c knows the one that a process was first seen in'
elif unshare -m true 2>/dev/null; then
	check 'two mount namespaces with the same path are two files' two_namespaces
fi

# what it refuses, and how it ends
status() { "$IOTRACER" files "$@" >out.log 2>&1; echo $?; }
check 'no directory: usage' [ "$(status)" = 2 ]
check 'unknown key: usage' [ "$(status trace --by colour)" = 2 ]
check 'unknown column: usage' [ "$(status trace --sort colour)" = 2 ]
check 'not a directory: failed' [ "$(status nowhere)" = 1 ]
check 'one of two cannot be read: the other is told, and it failed' sh -c \
	'! "$1" files nowhere trace -q --csv >out.csv 2>/dev/null && grep -q /gaps, out.csv' - "$IOTRACER"
corpus only-exec
check 'without fs: said' sh -c '! "$1" files only-exec 2>log && grep -q "fs was not recorded" log' - "$IOTRACER"
check 'a pipe that is closed ends it quietly' sh -c \
	'[ "$({ "$1" files trace -q --csv --histograms 2>pipe.log; } | head -1 | wc -l)" = 1 ] && [ ! -s pipe.log ]' - "$IOTRACER"
# a machine that could not keep up, and one with a version that had no column ofd
corpus overflowed
lost=$(jq '[.lost[] | select(.stream == "fs") | .count] | add' overflowed/manifest.json)
check "losses ($lost) are said, and the rest is told" sh -c '[ "$2" -gt 0 ] && "$1" files overflowed --top 0 >out.log 2>&1 &&
	grep -q "events lost: .*[0-9] (ring)" out.log && grep -q /much out.log' - "$IOTRACER" "$lost"
check 'they are in the JSON' [ "$("$IOTRACER" files overflowed --json 2>/dev/null |
	jq '[.traces[0].lost[].count] | add')" = "$lost" ]
cp -a trace older
check 'a trace of an older version' python3 "$tests_dir/readers/files_checks.py" make_older
two_versions()
{
	"$IOTRACER" files older trace --top 0 >out.log 2>&1 || return
	grep -q 'go by process and descriptor' out.log &&
		[ "$("$IOTRACER" files older trace -q --csv --by host | cut -d, -f7 | tail -1)" = \
			$((2 * $("$IOTRACER" files trace -q --csv --by host | cut -d, -f7 | tail -1))) ]
}
check 'two versions: what the older one lacks is said, and both are told' two_versions
cp -a trace cut
segment=$(ls cut/fs/*0002.csv)
truncate -s -100 "$segment"
printf 'garbage\n' >>"$segment"
check 'a damaged segment: the rest is told, with what is missing' sh -c \
	'"$1" files cut --top 0 >out.log 2>err.log; grep -q "rows are damaged and left out" out.log && grep -q /gaps out.log' - "$IOTRACER"
