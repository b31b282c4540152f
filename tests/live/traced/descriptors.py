# SPDX-License-Identifier: GPL-2.0-or-later
"""descriptors.py: descriptors that are shared, and files that come again."""
import os, sys
a = os.open("a", os.O_RDWR | os.O_CREAT)
w = os.open("w", os.O_WRONLY | os.O_CREAT)
for at in (0, 0, 4096, 0, 8192, 4096):
    os.pwrite(a, b"x" * 4096, at)
os.fsync(a)
if os.fork() == 0:
    os.pwrite(a, b"y" * 100, 4096)
    os._exit(0)
os.wait()
d = os.dup(a)
os.lseek(d, 0, 0)
os.read(a, 1000), os.read(d, 1000), os.read(a, 10)
os.sendfile(w, a, 0, 5000)
os.copy_file_range(a, w, 3000)
r, s = os.pipe()
os.splice(a, s, 2000, 0)
os.splice(r, w, 2000)
os.fsync(w)
os.close(d)
for i in range(3000):
    f = os.open("f%d" % (i % 1000), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(f, b"z" * i)
    os.close(f)
try:
    os.read(w, 1)
except OSError:
    pass
