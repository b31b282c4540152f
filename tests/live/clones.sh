#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What copies files without moving their bytes: cp on a file system that shares blocks is rows of CLONE, with both
# files, and without --reflink it is COPY_FILE_RANGE or CLONE, by default. And what opens files without their names.
. "$(dirname "$0")/lib.sh"

for tool in mkfs.xfs python3; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
mkdir shared
truncate -s 400M image
mkfs.xfs -q -m reflink=1 image 2>mkfs.said || skip_all "mkfs.xfs: $(head -1 mkfs.said)"
mount -o loop image shared 2>mount.said || skip_all "XFS cannot be mounted here: $(head -1 mount.said)"
undo()
{
	umount -l "$tmp/shared" 2>/dev/null
}
head -c 200000 /dev/urandom >shared/from
cat >ranges.py <<'END'
import fcntl, os, struct
FICLONERANGE, FIDEDUPERANGE = 0x4020940d, 0xc0189436
a, b = os.open("shared/from", os.O_RDONLY), os.open("shared/part", os.O_RDWR | os.O_CREAT)
fcntl.ioctl(b, FICLONERANGE, struct.pack("qQQQ", a, 65536, 131072, 4096))
same = bytearray(struct.pack("QQHHIqQQiI", 65536, 4096, 1, 0, 0, b, 4096, 0, 0, 0))
fcntl.ioctl(a, FIDEDUPERANGE, same)
assert struct.unpack("QQHHIqQQiI", same)[7:9] == (4096, 0)
END
record trace -e fs -- sh -c 'cp --reflink=always shared/from shared/whole; python3 ranges.py; cp shared/from shared/plain; cp shared/from plain'
check 'recorded' [ $? = 0 ]
check 'nothing was lost' no_loss trace
from=$tmp/shared/from
status=f
[ "$LIVE_TIER" != c ] || status=fm
printf '%s\n' "$from -> $tmp/shared/whole	0	0	0	$status" "$from -> $tmp/shared/part	131072	65536	0	$status" \
	"$from -> $tmp/shared/part	4096	65536	0	$status" >expected
cells trace fs operation,filename,size,offset,return_value,path_status |
	sed -n "s|^CLONE\t||p" | grep -v '/plain	' >rows
check 'clones: both files, from where and how much' diff expected rows
# which of the two cp takes is its own affair
copied()
{
	cells trace fs operation,filename,return_value | grep -qP "^(COPY_FILE_RANGE\t\Q$from -> $1\E\t200000|CLONE\t\Q$from -> $1\E\t0|WRITE\t\Q$1\E\t[1-9])"
}
check 'cp: the file that it makes is seen' copied "$tmp/shared/plain"
check 'cp to another file system, too' copied "$tmp/plain"

# ---- open_by_handle_at ----

cat >handle.py <<'END'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
class Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint), ("type", ctypes.c_int), ("data", ctypes.c_ubyte * 128)]
open("shared/named", "w").close()
handle, mount = Handle(128), ctypes.c_int()
assert libc.name_to_handle_at(-100, b"shared/named", ctypes.byref(handle), ctypes.byref(mount), 0) == 0
at = os.open("shared", os.O_RDONLY)
fd = libc.open_by_handle_at(at, ctypes.byref(handle), os.O_RDWR)
os.write(fd, b"x" * 321)
os.close(fd)
handle.type = 77
assert libc.open_by_handle_at(at, ctypes.byref(handle), os.O_RDWR) < 0
END
record handles -e fs -- python3 handle.py
check 'a handle: recorded' [ $? = 0 ]
name=$tmp/shared/named
[ "$LIVE_TIER" != c ] || name=''
check 'a handle: OPEN of the file that it is of, and the one that failed' \
	diff <(printf '%s\n' "$name	O_RDWR	+" '	O_RDWR	-') \
	<(cells handles fs call,filename,flags,return_value | sed -n 's/^open_by_handle_at	//p' | sed 's/	-[0-9]*$/	-/; s/	[0-9]*$/	+/')
check 'a handle: what was written through it' [ "$(cells handles fs operation,filename,return_value | grep -c "^WRITE	$name	321$")" = 1 ]
