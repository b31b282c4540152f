# SPDX-License-Identifier: GPL-2.0-or-later
"""What is recorded: programs of the tests, each with the rows that it must leave where these can be counted."""
import os
from types import SimpleNamespace

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Names that are hard to print, to quote and to cut
HOSTILE = (b'a,"b"', b"line\nend", b"\xff\xfe", b"\x1b[31m", b"tab\tcr\r", b"'; rm -rf x", b"n" * 255, b" ", b"-rf",
           "\u202eabc".encode(), b"\\x41\\")


def counted(name, argv, rows):
    """rows: {(operation, last part of the name): how many} of stream fs"""
    return SimpleNamespace(name=name, argv=argv, rows=rows)


def bench(rng, r):
    """A known number of calls, as fast as they go, by several threads."""
    threads, n = rng.choice([1, 2, 4]), max(50, rng.choice([1000, 10000, 30000]) // r.scale)
    writes = rng.random() < 0.5
    argv = ["bash", "-c", '"$@" >said', "x", r.build + "/tests/bench/load", "-n", str(n), "-t", str(threads)]
    return counted("load", argv + (["-w"] if writes else []) + ["data"],
                   {("WRITE" if writes else "READ", "data"): n * threads})


def steady(rng, r):
    """For seconds, at a rate: memory must stay where it is."""
    n = 24000 // r.scale
    argv = ["bash", "-c", '"$@" >said', "x", r.build + "/tests/bench/load", "-n", str(n), "-r", str(n // 6), "data"]
    return counted("steady", argv, {("READ", "data"): n})


def lines(rng, r):
    n = max(10, rng.choice([10, 2000, 20000]) // r.scale)
    return counted("lines", ["bash", "-c", "for ((i = 0; i < $0; i++)); do echo $i; done >lines; wc -l <lines", str(n)],
                   {("WRITE", "lines"): n})


def crowd(rng, r):
    n = max(50, rng.choice([50, 3000]) // r.scale)
    argv = ["bash", "-c", "mkdir crowd; python3 \"$0\" make_crowd \"$1\"; ls crowd | wc -l", TESTS + "/readers/loads.py", str(n)]
    return counted("crowd", argv, {("WRITE", None): n})


def hostile(rng, r):
    """Each is written to once, then read."""
    quoted = " ".join("$'%s'" % "".join("\\x%02x" % c for c in name) for name in HOSTILE)
    script = "for f in %s; do echo x >./\"$f\"; cat ./\"$f\"; mv ./\"$f\" ./m; rm m; done" % quoted
    return counted("hostile names", ["bash", "-c", script], {("WRITE", None): len(HOSTILE)})


def forks(rng, r):
    script = 'echo x >file; "$0" file %d' % max(10, rng.choice([20, 200]) // r.scale)
    return counted("forks", ["bash", "-c", script, r.build + "/tests/conform/conform_forks"], {})


def moving(rng, r):
    return counted("moving", ["bash", "-c", 'mkdir m; "$0" m 300 >said', r.build + "/tests/conform/conform_moving"], {})


def tasks(rng, r):
    return counted("tasks", ["bash", "-c", '"$0" execs', r.build + "/tests/conform/conform_tasks"], {})


def uring(rng, r):
    return counted("uring", ["bash", "-c", 'mkdir u; "$0" u >said', r.build + "/tests/conform/conform_uring"], {})


def archive(rng, r):
    return counted("archive", ["bash", "-c", "tar cf a.tar -C /etc ssl; mkdir x; tar xf a.tar -C x; sync -d a.tar; "
                               "find x -type f | sort | xargs sha256sum | sha256sum; rm -r x"], {})


def fails(rng, r):
    return counted("fails", ["bash", "-c", "cat /nowhere 2>/dev/null; kill -SEGV $$"], {})


def choose(rng, r):
    return rng.choice([bench, bench, steady, lines, lines, crowd, hostile, forks, moving, tasks, uring, archive, fails])(rng, r)
