# SPDX-License-Identifier: GPL-2.0-or-later
# Each second until a process ends: the time since the start, and thousandths of a CPU that it used, and that the
# BPF programs used which it holds (kernel.bpf_stats_enabled is on).
import os, sys, time
pid = sys.argv[1]
def own():
    f = open("/proc/%s/stat" % pid).read().rsplit(")", 1)[1].split()
    return (int(f[11]) + int(f[12])) / os.sysconf("SC_CLK_TCK")
def programs(known={}):
    total = 0
    for name in os.listdir("/proc/%s/fd" % pid):
        if known.get(name) is False:
            continue
        lines = dict(l.split(":", 1) for l in open("/proc/%s/fdinfo/%s" % (pid, name)) if ":" in l)
        known[name] = "run_time_ns" in lines
        total += int(lines.get("run_time_ns", 0))
    return total / 1e9
begin = time.monotonic()
then = begin, own(), programs()
try:
    while True:
        time.sleep(1)
        now = time.monotonic(), own(), programs()
        d = now[0] - then[0]
        print("%.1f %d %d" % (now[0] - begin, 1000 * (now[1] - then[1]) / d, 1000 * (now[2] - then[2]) / d), flush=True)
        then = now
except (OSError, ValueError):
    pass
