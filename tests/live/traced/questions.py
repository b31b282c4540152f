# SPDX-License-Identifier: GPL-2.0-or-later
"""A load to which every question of `iotracer help questions` has a known answer. Each part is a process with a name of
its own, below the directory of the first argument; questions.sh knows the numbers."""
import fcntl
import mmap
import os
import random
import signal
import socket
import subprocess
import sys
import time

root = sys.argv[1]
os.umask(0o022)
syncs = int(sys.argv[2]) if len(sys.argv) > 2 else 37
os.makedirs(root + "/log", exist_ok=True)
os.makedirs(root + "/data", exist_ok=True)
os.chdir(root)
PAGE = 4096


def part(work):
    """A process of that name, one after the other."""
    pid = os.fork()
    if pid:
        _, status = os.waitpid(pid, 0)
        return status == 0 or sys.exit(work.__name__ + " failed")
    with open("/proc/self/comm", "w") as comm:
        comm.write(work.__name__)
    work()
    os._exit(0)


def logger():
    """A byte a call; then a file that is opened for each of its lines."""
    with open("log/tiny.log", "wb", buffering=0) as log:
        for _ in range(1511):
            log.write(b"x")
    for _ in range(101):
        with open("log/reopened.log", "ab", buffering=0) as log:
            log.write(b"a line of thirty-two characters\n")


def dbase():
    """A page at the same place, one at the end, a sync: 37 times, or as often as the second argument says."""
    fd = os.open("data/base.db", os.O_RDWR | os.O_CREAT)
    for i in range(syncs):
        os.pwrite(fd, b"h" * PAGE, 0)
        os.pwrite(fd, b"d" * PAGE, (i + 1) * PAGE)
        os.fsync(fd)


def copier():
    """Writes 8 MiB, and reads them from the disk, then from memory."""
    fd = os.open("data/big.dat", os.O_RDWR | os.O_CREAT)
    for _ in range(128):
        os.write(fd, b"c" * 65536)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    for _ in range(3):
        os.lseek(fd, 0, os.SEEK_SET)
        while os.read(fd, 65536):
            pass


def seeker():
    """Reads pages here and there, by direct I/O."""
    try:
        fd = os.open("data/big.dat", os.O_RDONLY | os.O_DIRECT)
    except OSError:
        fd = os.open("data/big.dat", os.O_RDONLY)
    page = mmap.mmap(-1, PAGE)
    places = random.Random(7)
    for _ in range(211):
        os.preadv(fd, [page], places.randrange(2048) * PAGE)


def keeper():
    """Writes the same bytes at the same place."""
    fd = os.open("data/status", os.O_WRONLY | os.O_CREAT)
    for _ in range(59):
        os.pwrite(fd, b"running\n", 0)


def finder():
    """Looks for a file that is not there."""
    for _ in range(53):
        try:
            os.open(root + "/app.conf", os.O_RDONLY)
        except FileNotFoundError:
            pass


def waiter():
    """Opens a file of which another process has a lease, and gives it up a moment later."""
    ready, say_ready = os.pipe()
    if os.fork() == 0:
        with open("/proc/self/comm", "w") as comm:
            comm.write("holder")
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO])
        fd = os.open("data/leased", os.O_WRONLY | os.O_CREAT)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        os.write(say_ready, b"x")
        signal.sigwait([signal.SIGIO])
        time.sleep(0.03)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        os._exit(0)
    os.read(ready, 1)
    os.open("data/leased", os.O_RDONLY)
    os.wait()


def cleaner():
    """Files that live a moment, and two that have another's name at the end."""
    for i in range(43):
        os.close(os.open("data/temp%d" % i, os.O_WRONLY | os.O_CREAT))
        os.unlink("data/temp%d" % i)
    for i in range(2):
        with open("data/new", "wb", buffering=0) as new:
            new.write(b"n" * 100)
        os.rename("data/new", "data/state")


def rotator():
    """The log has another name before the program has opened a new one."""
    log = open("log/app.log", "wb", buffering=0)
    for i in range(20):
        log.write(b"line\n")
    os.rename("log/app.log", "log/app.log.1")
    for i in range(3):
        log.write(b"late\n")
    with open("log/app.log", "wb", buffering=0) as log:
        log.write(b"line\n")


def mapper():
    """Touches each page of a file that it maps; its own copy, so that nothing has to be written back."""
    with open("data/big.dat", "rb") as big:
        pages = mmap.mmap(big.fileno(), 64 * PAGE, access=mmap.ACCESS_COPY)
        for i in range(64):
            pages[i * PAGE] = 1


def talker():
    """47 messages of 1,009 bytes; one place where nobody listens."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        with socket.create_connection(server.getsockname()) as client:
            peer, _ = server.accept()
            for _ in range(47):
                client.sendall(b"m" * 1009)
                peer.recv(4096)
            peer.close()
        port = server.getsockname()[1]
    try:
        socket.create_connection(("127.0.0.1", port))
    except ConnectionRefusedError:
        pass


def starter():
    """Programs that end before one can look."""
    for i in range(13):
        subprocess.run(["true", "short-lived", str(i)], check=True)


for work in logger, dbase, copier, seeker, keeper, finder, waiter, cleaner, rotator, mapper, talker, starter:
    part(work)
