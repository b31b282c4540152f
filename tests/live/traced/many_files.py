# SPDX-License-Identifier: GPL-2.0-or-later
"""many_files.py N SECONDS: N times one of 300 files made anew, one that is held open written to, one that cannot be;
and so long between."""
import os, sys, time
held = os.open("held", os.O_RDWR | os.O_CREAT)
barred = os.open("barred", os.O_RDONLY | os.O_CREAT)
for i in range(int(sys.argv[1])):
    with open("d%d" % (i % 300), "wb", buffering=0) as f:
        f.write(b"x" * (i % 7000))
        f.write(b"y" * 100)
        os.fsync(f.fileno()) if i % 50 == 0 else None
    os.pwrite(held, b"z" * 10, (i % 3) * 10)
    try:
        os.write(barred, b"x")
    except OSError:
        pass
    time.sleep(float(sys.argv[2]))
