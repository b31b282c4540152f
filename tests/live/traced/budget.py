# SPDX-License-Identifier: GPL-2.0-or-later
# Reads many files at the rates of phases "SECONDS:CALLS" (0: as fast as it can), in as many processes as asked for,
# each with its own part of the files; a line for each has its number, reads and bytes.
import os, sys, time

folder, workers, phases = sys.argv[1], int(sys.argv[2]), [tuple(map(float, p.split(":"))) for p in sys.argv[3:]]
FILES = 300
os.makedirs(folder, exist_ok=True)
for i in range(FILES):
    with open("%s/f%d" % (folder, i), "wb") as f:
        f.write(b"x" * 8192)
begin = time.monotonic()
read_end, write_end = os.pipe()
for worker in range(workers):
    if os.fork():
        continue
    fds = [os.open("%s/f%d" % (folder, i), os.O_RDONLY) for i in range(worker, FILES, workers)]
    # in no order of their numbers
    plan = [(fds[i * 7 % len(fds)], 64 + 8 * i) for i in range(len(fds))] if len(fds) % 7 else [(fd, 64) for fd in fds]
    calls, moved, end, pread = 0, 0, begin, os.pread
    for seconds, rate in phases:
        start, end, done = end, end + seconds, 0
        while time.monotonic() < end:
            if rate and done * workers > rate * (time.monotonic() - start):
                time.sleep(0.002)
                continue
            for fd, size in plan:
                moved += len(pread(fd, size, 0))
            done += len(plan)
        calls += done
    for fd in fds:
        os.close(fd)
    os.write(write_end, b"%d %d %d\n" % (os.getpid(), calls, moved))
    os._exit(0)
os.close(write_end)
while part := os.read(read_end, 4096):
    os.write(1, part)
for worker in range(workers):
    os.wait()
