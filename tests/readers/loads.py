# SPDX-License-Identifier: GPL-2.0-or-later
"""loads.py LOAD [ARGUMENT]...: small programs that live tests record."""
import mmap
import os
import select
import sys
import threading
import time


def make_crowd(n):
    n = int(n)
    for i in range(n):
        fd = os.open("crowd/%d" % i, os.O_WRONLY | os.O_CREAT)
        os.write(fd, b"x" * (i % 7))
        os.close(fd)
    for i in range(0, n, 3):
        fd = os.open("crowd/%d" % i, os.O_RDONLY)
        os.read(fd, 100)
        os.close(fd)


def write_until_it_fails():
    page, n = mmap.mmap(-1, 4096), 0
    fd = os.open("mnt/file", os.O_RDWR | os.O_CREAT | os.O_DIRECT)
    try:
        for i in range(1000000):
            os.pwrite(fd, page, i % 500 * 4096)
            n += 1
    except OSError as e:
        print(n, e.errno)


def tick():
    fd = os.open("ticks", os.O_RDWR | os.O_CREAT)
    open("ticking", "w").write(str(os.getpid()))
    while True:
        os.pwrite(fd, b"x", 0)
        time.sleep(0.002)


def poll(*timeouts_ms):
    for ms in timeouts_ms:
        select.poll().poll(int(ms))


def mono_ns():
    print(time.clock_gettime_ns(time.CLOCK_MONOTONIC))


def fetch(url):
    import urllib.request  # the other loads need not wait for it
    print(urllib.request.urlopen(url).read().decode())


def prefix():
    print(sys.prefix)


def named_thread():
    def write():
        while True:
            open("of_thread", "w").write("1")
            time.sleep(0.05)
    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    print(thread.native_id, flush=True)
    time.sleep(60)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
