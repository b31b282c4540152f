#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A file system whose program does not answer, as a server of NFS that is gone: what is traced may hang, the tracer
# must not, and says of open files there what the kernel knows. In our mount namespace and in another one.
. "$(dirname "$0")/lib.sh"

command -v bindfs >/dev/null || skip_all 'no bindfs'
[ -c /dev/fuse ] || skip_all 'no FUSE'

undo()
{
	umount -l "$tmp/hung" "$tmp/lost" 2>/dev/null
}

# serve DIRECTORY: by a program whose number is in servers
serve()
{
	local try

	bindfs -f "$tmp/behind" "$1" &
	servers+=($!)
	for ((try = 0; try < 200; try++)); do
		! mountpoint -q "$1" || return 0
		sleep 0.05
	done
	return 1
}

# holds WHO DIRECTORY...: files there by descriptor, mapping, directory and program, and works elsewhere
cat >holds.py <<'END'
import ctypes, os, subprocess, sys, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
who, directories = sys.argv[1], sys.argv[2:]
files = [os.open(d + "/file", os.O_RDWR) for d in directories]
maps = [libc.mmap(None, 4096, 1, 1, f, 0) for f in files]
seen = [ctypes.string_at(m, 1) for m in maps]
loop = "while read -r x </dev/stdin; do echo $x >%s-shell; done" % who
child = subprocess.Popen([os.path.abspath(directories[0] + "/shell"), "-c", loop], stdin=subprocess.PIPE)
here = os.open(who + "-writes", os.O_RDWR | os.O_CREAT)
with open(who + "-pids", "w") as out:
    print("%d,%d" % (os.getpid(), child.pid), file=out)
os.chdir(directories[0])
while True:
    os.pwrite(here, b"x" * 100, 0)
    os.write(child.stdin.fileno(), b"line\n")
    for f in files:
        libc.munmap(libc.mmap(None, 4096, 1, 1, f, 0), 4096) # which asks nobody
    time.sleep(0.01)
END

servers=()
mkdir behind hung lost private
echo one >behind/file
cp "$(command -v dash)" behind/shell
export -f serve
export tmp
if ! serve hung || ! serve lost; then
	skip_all 'bindfs does not mount'
fi
"$(python_path)" holds.py ours hung lost &
pids+=($!)
# shellcheck disable=SC2016 # of the shell below
unshare --mount --propagation slave bash -c 'serve private && echo "${servers[@]}" >server && exec "$1" holds.py theirs private hung' - \
	"$(python_path)" &
pids+=($!)
# what they execute is in memory by then
for who in ours theirs; do
	until [ -s $who-shell ] && [ -s $who-pids ]; do
		sleep 0.05
	done
done
servers+=("$(<server)")
pids+=("${servers[@]}")
pids+=("$(cut -d, -f2 ours-pids)" "$(cut -d, -f2 theirs-pids)")
# one is on a mount that is nowhere
kill -STOP "${servers[@]}"
umount -l lost

# rows OPERATION NAME: whether there are such
rows()
{
	[ "$(cells trace fs operation,filename | grep -c "^$1	$2$")" -ge 10 ]
}

for options in '' --stacks; do
	rm -rf trace
	# shellcheck disable=SC2086 # a list of options
	timeout -k 10 60 "$IOTRACER" record -q -o trace "${tier_options[@]}" -e fs,cache $options -d 1 \
		-p "$(<ours-pids),$(<theirs-pids)"
	check "it ends${options:+ with $options}" [ $? = 0 ]
	for who in ours theirs; do
		check "${options:+with $options }writes elsewhere have their rows and names, $who" rows WRITE "$tmp/$who-writes"
		check "${options:+with $options }those of a program that lies there, $who" rows WRITE "$tmp/$who-shell"
	done
	check "${options:+with $options }files that do not answer" rows MMAP "$tmp/hung/file"
	check "${options:+with $options }files that do not answer, and are on a mount of another namespace" rows MMAP "$tmp/private/file"
	check "${options:+with $options }files that do not answer, and are on no mount" rows MMAP file
done
check 'each is the file that it was' [ "$(cells trace fs operation,filename,inode | awk -F'\t' '
	$1 == "MMAP" && $2 ~ "/file$" { print $2, $3 }' | sort -u | wc -l)" = 2 ]
kill -CONT "${servers[@]}"
