# SPDX-License-Identifier: GPL-2.0-or-later
"""Loads of tests/live/why.sh: why_load.py spin|lock|sync|direct|syncdisk FILE. In an emulated machine (VM_RELEASE) spin does less."""
import ctypes
import mmap
import os
import sys
import time

MIB = 1 << 20


def name_thread(name):
    ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)  # PR_SET_NAME


def spin(path):
    """Writes that take the CPU for long; what the kernel says of this thread is the first and the last that it does."""
    block = b"x" * MIB
    with open("/proc/self/schedstat") as stat:
        first = stat.read().strip()
    with open(path, "wb", buffering=0) as file:
        for _ in range(100 if "VM_RELEASE" in os.environ else 1500):
            file.write(block)
            file.seek(0)
    out = os.open(path + ".times", os.O_CREAT | os.O_WRONLY, 0o600)
    os.write(out, f"{os.getpid()} {first} ".encode())
    stat = os.open("/proc/self/schedstat", os.O_RDONLY)
    os.write(out, os.read(stat, 100))
    os._exit(0)


def lock(path):
    """Two processes, one of which has the file nearly all of the time."""
    block = b"x" * (32 * MIB)
    fd = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    child = os.fork()
    if child == 0:
        name_thread("holder")
        for _ in range(12):
            os.pwrite(fd, block, 0)
        os._exit(0)
    name_thread("waiter")
    end = time.monotonic() + 30
    while os.waitpid(child, os.WNOHANG)[0] == 0 and time.monotonic() < end:
        os.pwrite(fd, b"y", 0)
        time.sleep(0.001)


def sync(path):
    with open(path, "wb", buffering=0) as file:
        for _ in range(100):
            file.write(b"x" * 8192)
            os.fsync(file.fileno())
        file.write(b"x" * (16 * MIB))
        os.fsync(file.fileno())


def direct(path):
    buffer = mmap.mmap(-1, 65536)  # one request each
    fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
    for i in range(4000):
        os.lseek(fd, i % 200 * 65536, os.SEEK_SET)
        os.readv(fd, [buffer])


def syncdisk(path):
    with open(path, "r+b", buffering=0) as file:
        for i in range(10):
            file.seek(i * 4096)
            file.write(b"x" * 4096)
            os.fsync(file.fileno())


if __name__ == "__main__":
    {"spin": spin, "lock": lock, "sync": sync, "direct": direct, "syncdisk": syncdisk}[sys.argv[1]](sys.argv[2])
