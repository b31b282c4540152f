# SPDX-License-Identifier: GPL-2.0-or-later
"""layers.py DIR: reads and writes in many ways; how many calls and bytes of each kind these were is DIR/told."""
import os, socket, sys
done = {}
def did(kind, n):
    calls, moved = done.get(kind, (0, 0))
    done[kind] = calls + 1, moved + max(n, 0)
place = sys.argv[1]
fd = os.open(place + "/file", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
for i in range(1009):
    did("WRITE", os.pwrite(fd, b"x" * 4096, i * 4096))
for i in range(307):
    did("WRITE", os.writev(fd, [b"y" * 100, b"z" * 27]))
for i in range(503):
    did("READ", len(os.pread(fd, 1 + i, i * 512)))
for i in range(101):
    did("READ", os.preadv(fd, [bytearray(64), bytearray(64)], i))
for i in range(13):
    os.fsync(fd); did("SYNC", 0)
    os.fdatasync(fd); did("SYNC", 0)
wrong = os.open(place + "/file", os.O_WRONLY)
for i in range(7):
    try:
        os.read(wrong, 100)
    except OSError:
        did("READ", 0)
# none of these is a file's
pair, pipe = socket.socketpair(), os.pipe()
for i in range(211):
    os.write(pipe[1], b"p"); os.read(pipe[0], 1)
    pair[0].send(b"s"); os.read(pair[1].fileno(), 1)
    os.write(os.open("/dev/null", os.O_WRONLY), b"n")
os.lseek(fd, 0, 0)
for i in range(17):
    did("READ", os.sendfile(pair[0].fileno(), fd, i * 1000, 3000)); pair[1].recv(4096)
# from file to file
out = os.open(place + "/moved", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
for i in range(19):
    n = os.sendfile(out, fd, i * 1000, 700); did("READ", n); did("WRITE", n)
# Python has these since 3.8 and 3.10
for i in range(23 if hasattr(os, "copy_file_range") else 0):
    n = os.copy_file_range(fd, out, 1000 + i, i * 1000, i * 2000)
    did("READ", n); did("WRITE", n)
for i in range(29 if hasattr(os, "splice") else 0):
    n = os.splice(fd, pipe[1], 500 + i, offset_src=i * 700); did("READ", n)
    did("WRITE", os.splice(pipe[0], out, n, offset_dst=i * 900))
with open(place + "/told", "w") as told:
    for kind, (calls, moved) in sorted(done.items()):
        print(os.getpid(), kind, calls, moved, file=told)
