# SPDX-License-Identifier: GPL-2.0-or-later
"""systems_checks.py CHECK [ARGUMENT]...: what amp-systems.sh and lib-systems.sh ask of what was recorded and answered. Status 1: it is not so."""
import csv
import glob
import socket
import sys


def times_of_marks(trace, place):
    at = {}
    for name in glob.glob(trace + "/fs/*.csv"):
        for r in csv.DictReader(open(name, errors="surrogateescape")):
            if r["operation"] == "OPEN" and r["filename"].endswith((place + "/from", place + "/to")):
                name = r["filename"].rsplit("/", 1)[1]
                at[name] = max(at.get(name, ""), r["timestamp"].replace(" ", "T"))
    print(at["from"], at["to"])


def written_and_device(trace, *pids):
    trace, pids = trace, set(pids)
    def rows(stream):
        for name in glob.glob(trace + "/" + stream + "/*.csv"):
            yield from csv.DictReader(open(name, errors="surrogateescape"))
    others = ("", "journal", "metadata", "lazyinit", "swap", "loop")
    device = sum(int(r["size"]) for r in rows("ds")
                 if r["operation"] == "write" and r["owner_pid"] in pids and r["cause"] not in others)
    written = 0
    for r in rows("fs"):
        size = int(r["return_value"]) if r["operation"] == "WRITE" and r["pid"] in pids else 0
        if size > 0:
            into = int(r["offset"]) % 4096 if r["offset"] else 4095
            written += (into + size + 4095) // 4096 * 4096
    print(device, written)


def two_ports():
    s = [socket.socket() for i in range(2)]
    [x.bind(("127.0.0.1", 0)) for x in s]
    print(*[x.getsockname()[1] for x in s])


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
