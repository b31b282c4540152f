# SPDX-License-Identifier: GPL-2.0-or-later
"""screen.py: two minutes of files for the screen of top: one with a name that a terminal would obey, 60 small ones, one that is absent.

The first of the small ones is always the second of all by bytes: a selected row follows its file, and the others change places."""
import os, time
name = "dätä\x1b[2J\u202e日本" + "n" * 150 + "END"
fd = os.open(name, os.O_RDWR | os.O_CREAT)
more = [os.open("more%02d" % i, os.O_RDWR | os.O_CREAT) for i in range(60)]
print("NOISE" * 40, flush=True)
end = time.monotonic() + 120
while time.monotonic() < end:
    os.pwrite(fd, b"x" * 4096, 0)
    os.pwrite(more[0], b"y" * 256, 0)
    for i in more[1:]:
        os.pwrite(i, b"y", 0)
    try:
        os.open("absent", os.O_RDONLY)
    except FileNotFoundError:
        pass
    time.sleep(0.02)
