#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# mapped_load.py make: files of 256 pages in the current directory, on the disk
# mapped_load.py: reads and writes them through mappings; rss gets how many bytes of file read are mapped
import mmap, os, sys

PAGE = mmap.PAGESIZE
PAGES = 256


def made(name):
    fd = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    os.ftruncate(fd, PAGES * PAGE)
    for i in range(PAGES):
        os.pwrite(fd, b"m", i * PAGE)
    os.fsync(fd)
    os.close(fd)


def mapped(name, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ | mmap.PROT_WRITE):
    fd = os.open(name, os.O_RDWR)
    m = mmap.mmap(fd, PAGES * PAGE, flags, prot)
    os.close(fd)
    return m


def dirty(m, pages):
    for i in range(pages):
        m[i * PAGE] = 65


def rss(name):
    here, bytes = False, 0
    with open("/proc/self/smaps") as smaps:
        for line in smaps:
            if "-" in line.split()[0]:
                here = line.rstrip().endswith("/" + name)
            elif here and line.startswith("Rss:"):
                bytes += int(line.split()[1]) * 1024
    return bytes


if sys.argv[1:] == ["make"]:
    for name in "shared", "twice", "private", "read":
        made(name)
else:
    dirty(mapped("shared"), 64)
    twice = mapped("twice")
    for pages in 64, 32:
        dirty(twice, pages)
        twice.flush()
    private = mapped("private", mmap.MAP_PRIVATE)
    private.madvise(mmap.MADV_RANDOM)
    dirty(private, 16)
    read = mapped("read", mmap.MAP_SHARED, mmap.PROT_READ)
    sum(read[i * PAGE] for i in range(PAGES))
    with open("rss", "w") as out:
        print(rss("read"), file=out)
    os.close(os.open("plain", os.O_RDWR | os.O_CREAT))
