#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# uring_faults.py KIND: a program that uses io_uring badly
import ctypes, mmap, struct, sys

SETUP, ENTER = 425, 426
NOP, GETEVENTS, ASYNC = 0, 1, 1 << 4
libc = ctypes.CDLL(None, use_errno=True)


class Ring:
    """Of the entries that were asked for, with all of its memory mapped."""

    def __init__(self, entries):
        params = (ctypes.c_uint32 * 30)()
        self.fd = libc.syscall(SETUP, entries, params)
        if self.fd < 0:
            sys.exit("no ring: errno %d" % ctypes.get_errno())
        self.sq, self.cq = params[10:17], params[20:27]
        self.entries, n_cq = params[0], params[1]
        size = max(self.sq[6] + 4 * self.entries, self.cq[5] + 16 * n_cq)
        self.rings = mmap.mmap(self.fd, size, offset=0)
        self.sqes = mmap.mmap(self.fd, 64 * self.entries, offset=0x10000000)

    def word(self, at, value=None):
        if value is not None:
            struct.pack_into("<I", self.rings, at, value & 0xFFFFFFFF)
        return struct.unpack_from("<I", self.rings, at)[0]

    def submit(self, n, flags=0, wait=0):
        tail = self.word(self.sq[1])
        for i in range(n):
            at = (tail + i) % self.entries
            struct.pack_into("<BB62x", self.sqes, 64 * at, NOP, flags)
            self.word(self.sq[6] + 4 * at, at)
        self.word(self.sq[1], tail + n)
        done = libc.syscall(ENTER, self.fd, n, wait, GETEVENTS if wait else 0, None, 0)
        assert done == n, done

    def reap(self):
        self.word(self.cq[0], self.word(self.cq[1]))


def single(ring):
    for _ in range(1200):
        ring.submit(1)
        ring.reap()


def punted(ring):
    for _ in range(150):
        ring.submit(8, ASYNC, wait=8)
        ring.reap()


def overflow(ring):
    for _ in range(4):
        ring.submit(8)


libc.prctl(15, sys.argv[1].encode(), 0, 0, 0)
globals()[sys.argv[1]](Ring(8))
