# SPDX-License-Identifier: GPL-2.0-or-later
"""What happens to a recording. A fault changes the round before it begins, and may add what is done while it runs
(r.during), what is undone (r.after), and what may come of it (r.allows):
  killed   the tracer may end by a signal that we sent
  stopped  it was asked to end before the load did
  refused  it may say why it cannot, and trace nothing
  rows     rows may be missing, which is counted
  gone     nothing may be left of the directory"""
import os
import shutil
import signal
import subprocess
import time

# What makes calls of the tracer fail
SHIM = os.path.join(os.path.abspath(os.environ.get("builddir", ".")), "tests/soak/shim.so")


def alive(r):
    return r.tracer.poll() is None


def send(r, number):
    if alive(r):
        r.tracer.send_signal(number)


def pause(r, most):
    time.sleep(r.rng.random() * most)


def kill_in(r, steps, most):
    """SIGKILL in that part of the round, after at most so many seconds of it."""
    def step():
        pause(r, most)
        r.killed = r.killed or alive(r)
        send(r, signal.SIGKILL)
    steps.append(step)
    r.allows |= {"killed", "rows"}


def sigkill(r):
    kill_in(r, r.during, 1.0)


def sigkill_while_starting(r):
    kill_in(r, r.early, 0.6)
    r.allows |= {"refused"}


def sigkill_while_ending(r):
    kill_in(r, r.late, 0.3)


def sigterm_while_starting(r):
    def early():
        pause(r, 0.6)
        send(r, signal.SIGTERM)
    r.early.append(early)
    r.attached = True
    r.allows |= {"stopped", "refused", "rows"}


def signals_while_ending(r):
    def late():
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            send(r, number)
            pause(r, 0.1)
    r.late.append(late)
    r.allows |= {"stopped"}


def sigterm(r):
    def during():
        pause(r, 0.5)
        send(r, r.rng.choice([signal.SIGTERM, signal.SIGINT]))
    r.attached = True  # a command would be ended, too
    r.during.append(during)
    r.allows |= {"stopped"}


def sighup(r):
    def during():
        for _ in range(5):
            pause(r, 0.2)
            send(r, signal.SIGHUP)
    r.during.append(during)


def sigstop(r):
    def during():
        pause(r, 0.3)
        send(r, signal.SIGSTOP)
        pause(r, 2.0)
        send(r, signal.SIGCONT)
    r.during.append(during)
    r.allows |= {"rows"}


def full_disk(r):
    r.disk_kb = r.rng.choice([256, 1024, 4096])
    r.allows |= {"rows", "refused"}


def room_again(r):
    """Full for a while"""
    filler = r.work + "/disk/filler"

    def during():
        pause(r, 0.3)
        subprocess.run("head -c 100M /dev/zero >'%s'" % filler, shell=True, stderr=subprocess.DEVNULL, check=False)
        pause(r, 2.0)
        os.unlink(filler)
    r.during.append(during)
    r.allows |= {"rows"}


def bad_disk(r):
    """Calls on the trace's file system fail with EIO or another error, after some that did not."""
    import errno
    r.env.update(LD_PRELOAD=SHIM, SOAK_DISK=r.work + "/disk", SOAK_AFTER=str(r.rng.choice([0, 3, 20, 100])),
                 SOAK_TIMES=str(r.rng.choice([1, 5, 1000000])), SOAK_CALLS=r.rng.choice(["write", "fsync", "rename", "open", "all"]),
                 SOAK_ERRNO=str(r.rng.choice([errno.EIO, errno.ENOSPC, errno.EROFS, errno.EDQUOT])))
    r.allows |= {"rows", "refused"}


def removed_directory(r):
    def during():
        pause(r, 0.5)
        if r.rng.random() < 0.5:
            shutil.rmtree(r.dir, ignore_errors=True)
        elif os.path.isdir(r.dir):
            os.rename(r.dir, r.dir + ".moved")
    r.during.append(during)
    r.allows |= {"rows", "gone"}


def umounted_directory(r):
    def during():
        pause(r, 0.5)
        subprocess.run(["umount", "-l", r.work + "/disk"], check=False)
    r.during.append(during)
    r.allows |= {"rows", "gone"}


def mounts(r):
    """File systems come and go where the load is."""
    place = r.work + "/files/mnt"

    def during():
        for _ in range(4):
            os.makedirs(place, exist_ok=True)
            subprocess.run(["mount", "-t", "tmpfs", "none", place], check=False)
            open(place + "/f", "w").close()
            pause(r, 0.2)
            subprocess.run(["umount", "-l", place], check=False)
        os.rmdir(place)
    r.during.append(during)


def few_descriptors(r):
    r.attached = True  # limits are inherited
    r.wrapper = ["bash", "-c", "ulimit -n %d; exec \"$@\"" % r.rng.choice([8, 16, 24, 40, 64, 200]), "x"]
    r.allows |= {"rows", "refused"}


def little_address_space(r):
    r.attached = True
    r.wrapper = ["bash", "-c", "ulimit -v %d; exec \"$@\"" % (r.rng.choice([20, 40, 60, 80, 120, 200]) * 1024), "x"]
    r.allows |= {"rows", "refused"}


def little_memory(r):
    """A control group of the tracer alone; it may be killed there."""
    root = "/sys/fs/cgroup/memory" if os.path.isdir("/sys/fs/cgroup/memory") else "/sys/fs/cgroup"
    group = "%s/soak-%d" % (root, os.getpid())
    limit = group + ("/memory.limit_in_bytes" if root.endswith("memory") else "/memory.max")
    r.attached = True
    r.wrapper = ["bash", "-c", "echo $$ >'%s/cgroup.procs'; exec \"$@\"" % group, "x"]
    os.makedirs(group, exist_ok=True)
    try:
        with open(limit, "w") as f:
            f.write(str(r.rng.choice([12, 20, 28, 40, 80]) << 20))
    except OSError:
        pass  # no such controller

    def undo():
        for _ in range(100):
            try:
                os.rmdir(group)
                return
            except OSError:
                time.sleep(0.1)
    r.after.append(undo)
    r.allows |= {"rows", "refused", "oom"}


def one_page(r):
    r.options = [o for i, o in enumerate(r.options) if o != "-m" and (i == 0 or r.options[i - 1] != "-m")] + ["-m", "1"]


def time_namespace(r):
    r.wrapper = ["unshare", "--time", "--monotonic", str(r.rng.choice([-1, 1]) * 100000 if uptime() > 100000 else 100000),
                 "--boottime", "100000"]


def uptime():
    return float(open("/proc/uptime").read().split()[0])


def hostile_image(r):
    """An image with a few other bytes"""
    image = r.work + "/image"
    cache = [os.path.join(d, f) for d in ("/var/cache/iotracer", os.environ.get("IOTRACER_CACHE", ""))
             if d and os.path.isdir(d) for f in sorted(os.listdir(d)) if f.endswith(".bpf.o")]
    if not cache or "--image" in r.options:
        return
    data = bytearray(open(r.rng.choice(cache), "rb").read())
    for _ in range(r.rng.choice([1, 5, 100])):
        data[r.rng.randrange(len(data))] = r.rng.randrange(256)
    if r.rng.random() < 0.3:
        del data[r.rng.randrange(len(data)):]
    open(image, "wb").write(data)
    r.options += ["--image", image]
    r.allows |= {"refused", "rows"}


def hostile_archive(r):
    """A saved host with a few other bytes is looked at meanwhile."""
    def during():
        archive = r.work + "/host"
        subprocess.run([os.environ["IOTRACER"], "doctor", "--collect", archive], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        data = bytearray(open(archive, "rb").read())
        for _ in range(r.rng.choice([1, 5])):
            data[r.rng.randrange(len(data))] = r.rng.randrange(256)
        open(archive, "wb").write(data)
        done = subprocess.run([os.environ["IOTRACER"], "doctor", "--root", archive], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=60, check=False)
        r.archive_status = done.returncode
    r.during.append(during)


# ---- a whole machine's ----

def clock_step(r):
    def during():
        pause(r, 0.5)
        step = r.rng.choice([-7200, -3, 3, 86400])
        time.clock_settime(time.CLOCK_REALTIME, time.time() + step)
        pause(r, 1.0)
        time.clock_settime(time.CLOCK_REALTIME, time.time() - step)
    r.during.append(during)
    r.allows |= {"clock"}


def cpu_offline(r):
    control = "/sys/devices/system/cpu/cpu1/online"

    def during():
        if not os.path.exists(control):
            return
        for value in ("0", "1", "0", "1"):
            pause(r, 0.5)
            with open(control, "w") as f:
                f.write(value)
    r.during.append(during)


def module_load(r):
    def during():
        for _ in range(3):
            for module in ("dummy", "null_blk", "nbd"):
                subprocess.run("modprobe %s && modprobe -r %s" % (module, module), shell=True, check=False,
                               stderr=subprocess.DEVNULL)
    r.during.append(during)


HERE_TOO = [sigkill, sigkill_while_starting, sigkill_while_ending, sigterm_while_starting, signals_while_ending, sigterm, sighup, sigstop, full_disk, room_again, bad_disk, removed_directory,
            umounted_directory, mounts, few_descriptors, little_address_space, little_memory, one_page, time_namespace,
            hostile_image, hostile_archive]
VM_ALONE = [clock_step, cpu_offline, module_load]
WRAPS = {few_descriptors, little_address_space, little_memory, time_namespace}


def choose(rng, r, vm):
    chosen = rng.sample(HERE_TOO + (VM_ALONE if vm else []), rng.choice([0, 1, 1, 1, 2, 2, 3]))
    wraps = [f for f in chosen if f in WRAPS]
    return [f for f in chosen if f not in wraps[1:]]
