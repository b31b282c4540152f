#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# faults.py KIND: a program that does one thing badly, in the current directory
import ctypes, errno, fcntl, mmap, os, resource, select, socket, subprocess, sys, threading, time


def named(name):
    ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)


def one_byte():
    fd = os.open("bytes", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for _ in range(20000):
        os.write(fd, b"x")


def small_reads():
    fd = os.open("data", os.O_RDONLY)
    for _ in range(5000):
        os.read(fd, 100)


def small_writes():
    fd = os.open("lines", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for _ in range(5000):
        os.write(fd, b"a line of a log\n" * 4)


def syncs():
    fd = os.open("synced", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for _ in range(60):
        os.write(fd, b"record " * 1000)
        os.fsync(fd)


def locks():
    """Waits for one that has a lock most of the time."""
    fd = os.open("locked", os.O_RDWR | os.O_CREAT)
    r, w = os.pipe()
    if os.fork() == 0:
        named("holder")
        other = os.open("locked", os.O_RDWR)
        for _ in range(5):
            fcntl.flock(other, fcntl.LOCK_EX)
            os.write(w, b"l")
            time.sleep(0.06)
            fcntl.flock(other, fcntl.LOCK_UN)
            time.sleep(0.01)
        os._exit(0)
    for i in range(5):
        os.read(r, 1)
        fcntl.flock(fd, fcntl.LOCK_EX)
        os.write(fd, b"l")
        fcntl.flock(fd, fcntl.LOCK_UN)
    os.wait()


def dsync():
    fd = os.open("dsynced", os.O_WRONLY | os.O_CREAT | os.O_DSYNC)
    for i in range(200):
        os.pwrite(fd, b"d" * 512, i * 512)


def missing():
    for i in range(10000):
        try:
            os.stat("nowhere/%d" % i)
        except OSError:
            pass


def churn():
    for _ in range(2000):
        fd = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(fd, b"z" * 5000)
        os.close(fd)


def leak():
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    for _ in range(1500):
        os.open("data", os.O_RDONLY)


def out_of_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
    try:
        while True:
            os.open("data", os.O_RDONLY)
    except OSError as e:
        assert e.errno == errno.EMFILE


def random_reads():
    fd = os.open("index", os.O_RDONLY)
    for i in range(3000):
        os.pread(fd, 4096, i * 7919 % 4096 * 4096)


def again():
    fd = os.open("often", os.O_RDONLY)
    for _ in range(5):
        os.lseek(fd, 0, os.SEEK_SET)
        while os.read(fd, 1 << 20):
            pass


def random_writes():
    fd = os.open("table", os.O_WRONLY | os.O_CREAT)
    for i in range(2000):
        os.pwrite(fd, b"p" * 4096, i * 7919 % 4096 * 4096)


def rewrites():
    fd = os.open("head", os.O_WRONLY | os.O_CREAT)
    for _ in range(2000):
        os.pwrite(fd, b"h" * 4096, 0)


def copy():
    with open("original", "rb", buffering=0) as a, open("copy", "wb", buffering=0) as b:
        while True:
            chunk = a.read(65536)
            if not chunk:
                break
            b.write(chunk)


def refused():
    for _ in range(150):
        s = socket.socket()
        try:
            s.connect(("127.0.0.1", 1))
        except OSError as e:
            assert e.errno == errno.ECONNREFUSED
        s.close()


def polls():
    r, w = os.pipe()
    p = select.poll()
    p.register(r, select.POLLIN)
    for _ in range(3000):
        p.poll(0)


def major_faults():
    fd = os.open("mapped", os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    with mmap.mmap(fd, 0, prot=mmap.PROT_READ) as m:
        m.madvise(mmap.MADV_RANDOM)
        for i in range(0, len(m), 4096):
            m[i]


def starved():
    # reads enough to be made to wait among those that want the same CPU
    fd = os.open("data", os.O_RDONLY)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    others = []
    for _ in range(4):
        pid = os.fork()
        if not pid:
            while True:
                pass
        others.append(pid)
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        os.pread(fd, 1 << 20, 0)
    for pid in others:
        os.kill(pid, 9)
        os.waitpid(pid, 0)


def stats():
    for _ in range(6000):
        os.stat("data")


def answer(server):
    """Reads requests of 80 bytes, in whatever pieces they come, and answers each."""
    s, _ = server.accept()
    got = b""
    while True:
        part = s.recv(4096)
        if not part:
            return
        got += part
        while len(got) >= 80:
            s.sendall(b"answer" * 100)
            got = got[80:]


def tiny_sends():
    server = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=answer, args=(server,)).start()
    c = socket.create_connection(server.getsockname())
    for _ in range(40):
        c.send(b"h" * 40)
        c.send(b"b" * 40)
        c.recv(4096)
    c.close()


def lossy():
    # in a network of its own, which loses some of what is sent to port 5000
    ip = "ip link set lo up; nft add table inet t; nft add chain inet t i '{ type filter hook input priority 0; }';"
    if subprocess.call(["sh", "-ec", ip + "nft add rule inet t i tcp dport 5000 numgen random mod 100 '<' 10 drop"]):
        sys.exit(77)
    server = socket.create_server(("127.0.0.1", 5000))
    c = socket.create_connection(server.getsockname())
    s, _ = server.accept()
    # a lost one comes again after 200 ms
    end = time.monotonic() + 2
    while time.monotonic() < end:
        c.sendall(b"d" * 1000)
        s.recv(65536)


def direct(name, i, until):
    """Reads of 64 KiB that go to the device, from its own part of the file on."""
    fd = os.open(name, os.O_RDONLY | os.O_DIRECT)
    room = mmap.mmap(-1, 65536)
    while time.monotonic() < until:
        os.preadv(fd, [room], i % 256 * 65536)
        i += 1


def most_of_the_time():
    """Until when this process has done it for most of its life, however long it took to begin."""
    with open("/proc/self/stat") as f:
        begun = int(f.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
    return time.monotonic() + max(2, 5 * (time.clock_gettime(time.CLOCK_BOOTTIME) - begun))


def busy():
    until = most_of_the_time()
    for i in range(8):
        threading.Thread(target=direct, args=("data", 32 * i, until)).start()


def cold():
    fd = os.open("often", os.O_RDONLY)
    for _ in range(3):
        os.lseek(fd, 0, os.SEEK_SET)
        while os.read(fd, 1 << 20):
            pass
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)


def misaligned():
    fd = os.open("original", os.O_WRONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    for i in range(500):
        os.pwrite(fd, b"m" * 100, i * 32768 + 10)


def stalls():
    """One process syncs a file, less than half of the time, another one cuts off what is being written."""
    fd = os.open("synced", os.O_RDWR | os.O_CREAT)
    r, w = os.pipe()
    if os.fork():
        os.close(w)
        while os.read(r, 1):
            time.sleep(0.001)
            for _ in range(10):
                os.ftruncate(fd, 1 << 20)
    else:
        for _ in range(25):
            for i in range(48):
                os.pwrite(fd, b"s" * (1 << 20), i << 20)
            os.write(w, b"s")
            began = time.monotonic()
            os.fsync(fd)
            time.sleep(max(0.02, 1.5 * (time.monotonic() - began)))


def throttled():
    fd = os.open("ext4/throttled", os.O_WRONLY | os.O_CREAT)
    for _ in range(160):
        os.write(fd, b"t" * (1 << 20))


def held():
    """Writes to a log that somebody has deleted, and is still there when the trace is over."""
    fd = os.open("deleted", os.O_WRONLY | os.O_CREAT)
    os.unlink("deleted")
    for _ in range(8):
        os.write(fd, b"d" * (1 << 20))
    open("held", "w").close()
    while os.path.exists("held"):
        time.sleep(0.1)


def ahead():
    fd = os.open("mapped", os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    for at in range(0, 1 << 24, 1 << 18):
        os.pread(fd, 4096, at)
        os.pread(fd, 4096, at + 4096)


def serial():
    direct("data", 0, most_of_the_time())


kind = sys.argv[1]
named(kind)
globals()[kind]()
