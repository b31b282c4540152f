# SPDX-License-Identifier: GPL-2.0-or-later
"""What the recordings "everything" and "packed" are of: sockets; files that are written, synced and read; calls that
fail; and what is hard to read or to show: names with separators, quotes, line ends, markup, bytes that are no text,
words for nothing, the longest path, and numbers near the limits. It writes 819 times and syncs 8 times."""
import ctypes, os, socket, threading

# ---- a busy file, connections, failures ----

def serve(listener):
    peer, _ = listener.accept()
    while peer.recv(65536):
        pass
for family, address in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"):
    try:
        listener = socket.socket(family)
        listener.bind((address, 0))
    except OSError:
        continue
    listener.listen()
    thread = threading.Thread(target=serve, args=(listener,))
    thread.start()
    with socket.create_connection(listener.getsockname()[:2]) as client:
        for i in range(37):
            client.sendall(b"x" * 1009)
    thread.join()
fd = os.open(b"busy, \"<script>\" \xf0\x9f\x98\x80", os.O_RDWR | os.O_CREAT)
for i in range(211):
    os.pwrite(fd, b"y" * 65536, i * 65536)
os.fsync(fd)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
for i in range(101):
    os.pread(fd, 65536, i * 65536)
for i in range(5):
    try:
        os.stat("nothing%d" % i)
        os.open("nothing", os.O_RDONLY)
    except OSError:
        pass

# ---- names that are shown ----

names = [b"busy", b"<script>alert(1)<script>", b"\"quoted\" 'twice' & more", "\U0001F600 \u202egpj".encode(), b"\xff\xfe bad \x1b[2J",
         b"<img src=x onerror=alert(1)>", b"a\nb,c"]
for n, name in enumerate(names):
    fd = os.open(name, os.O_RDWR | os.O_CREAT)
    for i in range(503 if n == 0 else 11 + n):
        os.pwrite(fd, b"y" * 4096, i * 4096)
        os.pread(fd, 1000, i * 4096)
    os.fsync(fd)
    os.close(fd)
# a path of nearly 4,096 bytes
here = os.getcwd()
for i in range(15):
    os.mkdir("d" * 250)
    os.chdir("d" * 250)
with open("deep", "wb", buffering=0) as f:
    f.write(b"z" * 70000)
os.chdir(here)
a, b = socket.socketpair()
with socket.socket() as listener:
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    with socket.create_connection(listener.getsockname()) as client:
        peer, _ = listener.accept()
        client.sendall(b"x" * 1009)
        peer.recv(4096)
        peer.close()

# ---- what is hard to read ----

for name in ('a,b', 'say "x"', 'two\nlines', 'cr\rlf', 'tab\there', 'NA', 'null', 'nan', ' blank ', "it's", 'a -> b',
             'back\\slash', '#hash', '-1', '007', 'ümläut', b'\xff\xfe'):
    with open(name, 'wb') as file:
        file.write(b'x' * 100)
    os.unlink(name)
fd = os.open('sparse', os.O_RDWR | os.O_CREAT)
for i in range(1000):
    os.pread(fd, 1, i * 4096)
for offset in (0, 2 ** 53 + 1, 2 ** 62 + 1, 2 ** 63 - 2):
    os.pread(fd, 1, offset)
libc = ctypes.CDLL(None, use_errno=True)
libc.read(fd, ctypes.c_void_p(0), ctypes.c_size_t(2 ** 64 - 1)) # asks for as much as there can be
libc.fallocate(fd, 0, ctypes.c_long(2 ** 53 + 1), ctypes.c_long(1))
a, b = socket.socketpair()
a.send(b'x')
a.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\1\0\0\0\5\0\0\0')
