#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How each file was used, from what strace saw: the oracle of `iotracer files`.

    files_of_strace.py [--histograms|--errors|--undecided] [--sizes FILE] LOG PREFIX

LOG is of `strace -f -yy -T -ttt -s 0 -e abbrev=none -o LOG`. Nothing of iotracer is
used: descriptors, open file descriptions and their positions are followed
here from open, dup, fork, exec and lseek. Files whose path begins with PREFIX are
counted; what lay there before (lines "size path" of --sizes) tells where
O_APPEND begins, and which are directories (lines "d path"). Prints CSV, the columns that do not depend on time.

strace tells when it saw a call begin and end, not when the kernel did it: of two tasks that
write to or sync a file at the same time, which was first is not in its log. --undecided lists these
files; of them `rewrites`, `synced_bytes` and the histogram `sync_gap` cannot be compared.
"""
import collections
import csv
import re
import sys

MOVES = {
    "read": ("r", None), "readv": ("r", None), "pread64": ("r", 1), "preadv": ("r", 1),
    "preadv2": ("r", 2), "write": ("w", None), "writev": ("w", None), "pwrite64": ("w", 1),
    "pwritev": ("w", 1), "pwritev2": ("w", 2),
}
SYNCS = {"fsync", "fdatasync", "sync_file_range"}
OPENS = {"open", "openat", "openat2", "creat"}
# Calls that count as failed ones of the file they name, and which argument that is: who made
# one is a process of the file.
NAMING = {
    "open": 0, "openat": 1, "openat2": 1, "creat": 0, "unlink": 0, "unlinkat": 1, "stat": 0,
    "lstat": 0, "newfstatat": 1, "statx": 1, "truncate": 0, "chmod": 0, "fchmodat": 1,
}
CLONES = {"clone", "clone3", "fork", "vfork"}
FLAG_O_APPEND = "O_APPEND"


class Description:
    """An open file description."""

    def __init__(self, append):
        self.pos = 0
        self.append = append
        self.ends = {"r": None, "w": None}   # where the last call of the direction ended
        self.runs = {"r": 0, "w": 0}
        self.n_fds = 1
        self.path = None


class File:
    """What is counted for one path."""

    def __init__(self):
        self.n = collections.Counter()
        self.errors = collections.Counter()
        self.histogram = collections.Counter()
        self.sums = collections.Counter()
        self.pids = set()
        self.last_write = None
        self.unsynced = 0
        self.ended = {}                      # line in which the last write or sync ended, by task
        self.undecided = False

    def at_lines(self, task, began, ended):
        """A write or sync, in the lines from `began` to `ended`."""
        self.undecided |= any(other != task and end > began for other, end in self.ended.items())
        self.ended[task] = ended

    def sample(self, metric, call, value):
        low = 0 if value == 0 else 1 << (value.bit_length() - 1)
        self.histogram[metric, call, low] += 1
        self.sums[metric, call, low] += value


class Table:
    """Descriptors of a process; threads share one."""

    def __init__(self, fds=None):
        self.fds = dict(fds or {})           # number: [description, close on exec]
        for entry in self.fds.values():
            entry[0].n_fds += 1
        self.fds = {fd: list(entry) for fd, entry in self.fds.items()}
        self.n_tasks = 1


def split_args(text):
    """Arguments of a call: commas outside of brackets and strings."""
    args, depth, start, i = [], 0, 0, 0
    in_string = in_angle = False
    while i < len(text):
        c = text[i]
        if in_string:
            if c == "\\":
                i += 1
            elif c == '"':
                in_string = False
        elif in_angle:
            in_angle = c != ">" or text[i - 1] == "-"      # as in <UNIX-STREAM:[1->2]>
        elif c == '"':
            in_string = True
        elif c == "<" and i and (text[i - 1].isdigit() or text[i - 1] == "D"):
            in_angle = True
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 0:
            args.append(text[start:i].strip())
            start = i + 1
        i += 1
    last = text[start:].strip()
    return args + [last] if last or args else args


def unescape(path):
    path = re.sub(r'^"(.*)"$', r"\1", path)
    return path.encode("latin-1", "replace").decode("unicode_escape") if "\\" in path else path


def parse_fd(arg):
    """Number and path of 3</a/b>, the path without a mark of deletion."""
    m = re.match(r"(-?\d+|AT_FDCWD)(?:<(.*?)>(?:\(deleted\))?)?$", arg)
    if not m:
        return None, None
    return (int(m[1]) if m[1] != "AT_FDCWD" else None), m[2] and unescape(m[2])


class Oracle:
    def __init__(self, prefix, sizes):
        self.prefix = prefix
        self.files = {}
        self.sizes = dict(sizes)
        self.failed = collections.defaultdict(set)   # processes, by path
        self.cwd = {}                        # by process
        self.tables = {}                     # by task
        self.tgids = {}
        self.births = collections.defaultdict(collections.deque)   # (parent, arguments), by task
        self.early = set()                   # tasks whose birth was not told yet

    def file(self, path):
        if path is None or not path.startswith(self.prefix):
            return None
        return self.files.setdefault(path, File())

    def table(self, task):
        if task not in self.tables and self.births[task]:
            self.early.add(task)
            self.born(task)
        if task not in self.tables:
            self.tables[task] = Table()
            self.tgids[task] = task
        return self.tables[task]

    def born(self, task):
        """What a task has from the one that made it."""
        parent, args = self.births[task].popleft()
        table = self.table(parent)
        if "CLONE_FILES" in " ".join(args):
            self.tables[task] = table
            table.n_tasks += 1
        else:
            self.tables[task] = Table(table.fds)
            self.cwd[task] = self.cwd.get(self.tgids[parent], "")
        self.tgids[task] = self.tgids[parent] if "CLONE_THREAD" in " ".join(args) else task

    # ---- descriptors ----

    def drop(self, table, fd):
        entry = table.fds.pop(fd, None)
        if entry is None:
            return
        description = entry[0]
        description.n_fds -= 1
        if description.n_fds == 0:
            self.end_runs(description)

    def end_runs(self, description):
        for way in "rw":
            self.end_run(description, way)
            description.ends[way] = None

    def end_run(self, description, way):
        if description.runs[way]:
            self.files[description.path].sample(
                "read_run" if way == "r" else "write_run", "", description.runs[way])
        description.runs[way] = 0

    def install(self, table, fd, description, cloexec):
        self.drop(table, fd)
        table.fds[fd] = [description, cloexec]

    def leave(self, task):
        table = self.tables.pop(task, None)
        if table is None:
            return
        table.n_tasks -= 1
        if table.n_tasks == 0:
            for fd in list(table.fds):
                self.drop(table, fd)

    # ---- calls ----

    def call(self, task, name, args, result, error):
        table = self.table(task)
        self.note_failure(task, name, args, error)
        if name in OPENS:
            self.opened(task, table, name, args, result)
        elif name in MOVES:
            self.moved(task, table, name, args, result, error)
        elif name in SYNCS:
            self.synced(task, name, args, error)
        elif name in CLONES and result and result > 0:
            if result in self.early:
                self.early.remove(result)
            else:
                self.born(result)
        elif error:
            if name == "close":
                fd, path = parse_fd(args[0])
                file = self.file(path)
                if file:
                    file.errors["close", error] += 1
            elif name == "sendfile" and len(args) > 1:
                self.sent(task, table, args, result, error)
            elif name == "copy_file_range":
                self.copied(task, table, args, result, error)
        elif name == "close":
            fd, path = parse_fd(args[0])
            self.drop(table, fd)
        elif name in ("dup", "dup2", "dup3") or (name == "fcntl" and "F_DUPFD" in args[1]):
            fd, _ = parse_fd(args[0])
            if fd in table.fds and result != fd:
                description = table.fds[fd][0]
                description.n_fds += 1
                self.install(table, result, description, "CLOEXEC" in " ".join(args[1:]))
        elif name == "fcntl" and args[1] == "F_SETFD":
            fd, _ = parse_fd(args[0])
            if fd in table.fds:
                table.fds[fd][1] = "FD_CLOEXEC" in args[2]
        elif name == "fcntl" and args[1] == "F_SETFL":
            fd, _ = parse_fd(args[0])
            if fd in table.fds:
                table.fds[fd][0].append = FLAG_O_APPEND in args[2]
        elif name in ("lseek", "_llseek"):
            fd, _ = parse_fd(args[0])
            if fd in table.fds:
                table.fds[fd][0].pos = result
        elif name in ("truncate", "ftruncate"):
            path = unescape(args[0]) if name == "truncate" else parse_fd(args[0])[1]
            self.sizes[path] = int(args[1], 0)
        elif name == "fallocate":
            _, path = parse_fd(args[0])
            if "KEEP_SIZE" not in args[1]:
                self.sizes[path] = max(self.sizes.get(path, 0), int(args[2]) + int(args[3]))
        elif name in ("rename", "renameat", "renameat2"):
            self.renamed(name, args)
        elif name == "execve":
            for fd in [fd for fd, entry in table.fds.items() if entry[1]]:
                self.drop(table, fd)
        elif name == "sendfile":
            self.sent(task, table, args, result, error)
        elif name == "copy_file_range":
            self.copied(task, table, args, result, error)

    def note_failure(self, task, name, args, error):
        tgid = self.tgids[task]
        if name == "chdir" and not error:
            self.cwd[tgid] = unescape(args[0])
        for arg in args:
            if arg.startswith("AT_FDCWD<"):
                self.cwd[tgid] = parse_fd(arg)[1]
        if error and name in NAMING and len(args) > NAMING[name]:
            path = unescape(args[NAMING[name]])
            base = parse_fd(args[0])[1] if NAMING[name] else None
            if not path.startswith("/"):
                path = "%s/%s" % (base or self.cwd.get(tgid, ""), path)
            self.failed[path].add(tgid)

    def renamed(self, name, args):
        paths = [unescape(a) for a in args if a.startswith('"')]
        if len(paths) == 2 and paths[0] in self.sizes:
            self.sizes[paths[1]] = self.sizes.pop(paths[0])

    def opened(self, task, table, name, args, result):
        if result is None or result < 0:
            return
        fd, path = result, self.result_path
        flags = " ".join(args)
        description = Description(FLAG_O_APPEND in flags)
        self.install(table, fd, description, "O_CLOEXEC" in flags)
        if "O_TRUNC" in flags or name == "creat":
            self.sizes[path] = 0
        description.path = path
        file = None if "O_DIRECTORY" in flags else self.file(path)
        if file:
            file.n["opens"] += 1
            file.pids.add(self.tgids[task])

    def requested(self, name, args):
        if name.endswith("v") or name.endswith("v2"):
            return sum(int(n) for n in re.findall(r"iov_len=(\d+)", args[1]))
        return int(args[2])

    def moved(self, task, table, name, args, result, error):
        fd, path = parse_fd(args[0])
        file = self.file(path)
        if file is None:
            return
        way, at = MOVES[name]
        words = "read" if way == "r" else "write"
        asked = self.requested(name, args)
        file.pids.add(self.tgids[task])
        file.n[words + "s"] += 1
        file.n[words + "_requested"] += asked
        file.sample(words + "_request", name, asked)
        if error:
            file.n[words + "_errors"] += 1
            file.errors[name, error] += 1
            return
        entry = table.fds.get(fd)
        description = entry[0] if entry else Description(False)
        description.path = path
        if way == "w":
            file.at_lines(task, *self.lines)
        offset = None
        if at == 1:
            offset = int(args[3])
        elif at == 2 and int(args[3]) >= 0:
            offset = int(args[3])
        positioned = offset is not None
        if way == "w" and description.append:
            offset = self.sizes.get(path, 0)
        elif offset is None:
            offset = description.pos
        if not positioned:
            description.pos = offset + result
        if way == "w":
            self.sizes[path] = max(self.sizes.get(path, 0), offset + result)
        self.complete(file, description, way, name, offset, result)

    def complete(self, file, description, way, name, offset, n):
        words = "read" if way == "r" else "write"
        file.n[words + "_bytes"] += n
        file.n[words + "_located"] += n
        file.sample(words + "_complete", name, n)
        if way == "w":
            file.n["rewrites"] += file.last_write == offset
            file.last_write = offset
            file.unsynced += n
        end = description.ends[way]
        if offset == end or (end is None and offset == 0):
            file.n[words + "_sequential"] += n
        if offset != end:
            self.end_run(description, way)
        description.runs[way] += n
        description.ends[way] = offset + n

    def sent(self, task, table, args, result, error):
        """The source of sendfile is read."""
        fd, path = parse_fd(args[1])
        file = self.file(path)
        if file is None:
            return
        file.pids.add(self.tgids[task])
        file.n["reads"] += 1
        file.n["read_requested"] += int(args[3])
        file.sample("read_request", "sendfile", int(args[3]))
        if error:
            file.n["read_errors"] += 1
            file.errors["sendfile", error] += 1
            return
        entry = table.fds.get(fd)
        description = entry[0] if entry else Description(False)
        description.path = path
        m = re.match(r"\[(\d+)\]", args[2])
        offset = int(m[1]) if m else description.pos
        if not m:
            description.pos = offset + result
        self.complete(file, description, "r", "sendfile", offset, result)

    def copied(self, task, table, args, result, error):
        """The source is read; the target is written, at an offset that is not told."""
        asked = int(args[4])
        for words, at in (("read", 0), ("write", 2)):
            fd, path = parse_fd(args[at])
            file = self.file(path)
            entry = table.fds.get(fd)
            description = entry[0] if entry else Description(False)
            position = re.match(r"\[(\d+)", args[at + 1])
            offset = int(position[1]) if position else description.pos
            if not error and not position:
                description.pos += result
            if not error and words == "write":
                self.sizes[path] = max(self.sizes.get(path, 0), offset + result)
            if file is None:
                continue
            file.pids.add(self.tgids[task])
            file.n[words + "s"] += 1
            file.n[words + "_requested"] += asked
            file.sample(words + "_request", "copy_file_range", asked)
            if error:
                file.n[words + "_errors"] += 1
                file.errors["copy_file_range", error] += 1
            elif words == "read":
                description.path = path
                self.complete(file, description, "r", "copy_file_range", offset, result)
            else:
                file.at_lines(task, *self.lines)
                file.n["write_bytes"] += result
                file.sample("write_complete", "copy_file_range", result)
                file.last_write = None
                file.unsynced += result

    def synced(self, task, name, args, error):
        file = self.file(parse_fd(args[0])[1])
        if file is None:
            return
        file.pids.add(self.tgids[task])
        file.n["syncs"] += 1
        if error:
            file.n["sync_errors"] += 1
            file.errors[name, error] += 1
            return
        file.at_lines(task, *self.lines)
        file.n["synced_bytes"] += file.unsynced
        file.sample("sync_gap", "", file.unsynced)
        file.unsynced = 0

    # ---- lines ----

    LINE = re.compile(r"(\d+) +(\d+\.\d+) (.*)$")
    CALL = re.compile(r"(\w+)\((.*)\) += (-?\d+|\?|0x[0-9a-f]+)(<.*?>(?:\(deleted\))?)?"
                      r"(?: ([A-Z][A-Z0-9]+) \(.*\))?(?: \(.*\))?(?: <[\d.]+>)?$", re.S)

    def whole(self, lines):
        """Task and text of each line, of a call that took more than one when it ended; first and last line."""
        pending = {}
        for number, line in enumerate(lines):
            m = self.LINE.match(line.rstrip("\n"))
            if not m:
                continue
            task, text, began = int(m[1]), m[3], number
            if text.endswith("<unfinished ...>"):
                pending[task] = text[: -len("<unfinished ...>")].rstrip(), number
                continue
            resumed = re.match(r"<\.\.\. (\w+) resumed>(.*)$", text)
            if resumed:
                head, began = pending.pop(task, (resumed[1] + "(", number))
                text = head + resumed[2]
            yield task, text, (began, number)

    def read(self, lines):
        lines = list(self.whole(lines))
        # A task may run before the call that made it has returned: who that was is looked up first.
        for task, text, _ in lines:
            m = self.CALL.match(text)
            if m and m[1] in CLONES and m[3].isdigit():
                self.births[int(m[3])].append((task, split_args(m[2])))
        for task, text, self.lines in lines:
            if text.startswith("+++"):
                self.leave(task)
            elif not text.startswith("---"):
                self.line(task, text)
        for table in {id(t): t for t in self.tables.values()}.values():
            for fd in list(table.fds):
                self.drop(table, fd)

    def line(self, task, text):
        m = self.CALL.match(text)
        if not m or m[3] == "?":             # "?": exit, or killed inside
            return
        self.result_path = m[4] and parse_fd("0" + m[4])[1]
        result = int(m[3], 16 if m[3].startswith("0x") else 10)
        self.call(task, m[1], split_args(m[2]), result, m[5])


MAX = 2 ** 64 - 1
COLUMNS = ("opens reads read_errors read_requested read_bytes writes write_errors write_requested "
           "write_bytes rewrites syncs sync_errors synced_bytes").split()


def share(n, of):
    return "%.6f" % (n / of) if of else ""


def print_files(files, out):
    out.writerow(["filename"] + COLUMNS + ["read_sequential", "write_sequential", "pids"])
    for path, file in sorted(files.items()):
        out.writerow([path] + [min(file.n[c], MAX) for c in COLUMNS]
                     + [share(file.n["read_sequential"], file.n["read_located"]),
                        share(file.n["write_sequential"], file.n["write_located"]),
                        len(file.pids)])


def print_histograms(files, out):
    out.writerow("filename metric call from to count sum".split())
    for path, file in sorted(files.items()):
        for (metric, call, low), n in sorted(file.histogram.items()):
            out.writerow([path, metric, call, low, low * 2 if low else 1, n,
                          min(file.sums[metric, call, low], MAX)])


def print_errors(files, out):
    out.writerow("filename call error count".split())
    for path, file in sorted(files.items()):
        for (call, error), n in sorted(file.errors.items()):
            out.writerow([path, call, error, n])


def print_undecided(files, out):
    for path, file in sorted(files.items()):
        if file.undecided:
            out.writerow([path])


def main(argv):
    printer, sizes, directories, rest = print_files, {}, set(), []
    args = iter(argv)
    for arg in args:
        if arg == "--histograms":
            printer = print_histograms
        elif arg == "--errors":
            printer = print_errors
        elif arg == "--undecided":
            printer = print_undecided
        elif arg == "--sizes":
            with open(next(args), encoding="latin-1") as f:
                for line in f:
                    size, path = line.rstrip("\n").split(" ", 1)
                    if size == "d":
                        directories.add(path)
                    else:
                        sizes[path] = int(size)
        else:
            rest.append(arg)
    log, prefix = rest
    oracle = Oracle(prefix, sizes)
    with open(log, encoding="latin-1") as f:
        oracle.read(f)
    for path, file in oracle.files.items():
        file.pids |= oracle.failed[path]
    printer({p: f for p, f in oracle.files.items() if p not in directories}, csv.writer(sys.stdout, lineterminator="\n"))


main(sys.argv[1:])
