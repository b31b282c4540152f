#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The charts of iotracer amp: their values are those of the CSV, and names are text whatever they are.
#   LIVE_BROWSER  chromium: there all that is drawn and written lies within the picture
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'needs python3'

cat >program.py <<'END'
import ctypes, mmap, os
page = mmap.mmap(-1, 65536)
names = [b"<b>\"&'x", b"bad\xff\xfe", "\U0001F600 name".encode(), b"plain", b"a long one: 15b"]
for n, name in enumerate(names):
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(15, ctypes.c_char_p(name), 0, 0, 0)
        fd = os.open("data%d" % n, os.O_RDWR | os.O_CREAT | os.O_DIRECT)
        for i in range(3 + 7 * n):
            os.pwrite(fd, page, i * 65536)
        os.preadv(fd, [memoryview(page)[:4096]], 0)
        os._exit(0)
    os.wait()
END
cat >values.py <<'END'
import csv, re, subprocess, sys, xml.dom.minidom
tracer = sys.argv[1]
rows = list(csv.DictReader(subprocess.run([tracer, "amp", "trace", "-q", "--csv", "--by", "comm"], check=True, stdout=subprocess.PIPE).stdout.decode().splitlines()))
sides = [(l + d, long + " " + d[1:] + "s") for l, long in (("sys", "syscall"), ("vfs", "vfs"), ("blk", "block")) for d in ("_read", "_write")]
columns = {
    "amplification": [("read_byte_amp", "reads, bytes"), ("write_byte_amp", "writes, bytes"), ("read_amp", "reads, count"), ("write_amp", "writes, count")],
    "operations": [(c + "s", s) for c, s in sides], "latency": [(c + "_p50_ns", s) for c, s in sides],
    "bytes": [("sys_read_bytes", "syscall reads"), ("blk_read_bytes", "block reads"), ("sys_write_bytes", "syscall writes"),
              ("blk_data_bytes", "block writes: data"), ("blk_metadata_bytes", "metadata"), ("blk_journal_bytes", "journal")],
    "efficiency": [("read_byte_amp", "reads"), ("write_byte_amp", "writes")],
}
for name, wanted in columns.items():
    svg = xml.dom.minidom.parse("charts/%s.svg" % name)
    titles = [t.firstChild.data for t in svg.getElementsByTagName("title")]
    want = ["%s, %s: (%s)" % (r["comm"], s, r[c]) for r in rows for c, s in wanted if r[c]]
    got = [re.sub(r"[^ ]* (\([0-9.]*\))$", r"\1", t) for t in titles]
    assert got == want, (name, got, want)
    assert not svg.getElementsByTagName("b") and not svg.getElementsByTagName("script")
END
cat >look.py <<'END'
import json, re, subprocess, sys, zlib
chromium = [sys.argv[1], "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=profile", "--window-size=1000,1200"]
names = ["amplification", "operations", "latency", "efficiency", "bytes"]
script = """<script>
var bad = [], n = 0;
document.querySelectorAll("svg").forEach(function (svg) {
    var box = svg.viewBox.baseVal;
    svg.querySelectorAll("text,rect,circle,line").forEach(function (e) {
        var b = e.getBBox(); n++;
        if (b.x < -0.5 || b.y < -0.5 || b.x + b.width > box.width + 0.5 || b.y + b.height > box.height + 0.5)
            bad.push(e.outerHTML);
    });
});
document.body.textContent = JSON.stringify({bad: bad, n: n});
</script>"""
open("page.html", "w").write("<!DOCTYPE html><meta charset=utf-8><body>" + "".join(open("charts/%s.svg" % n).read() for n in names) + script)
dom = subprocess.run(chromium + ["--dump-dom", "page.html"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=100).stdout.decode()
found = json.loads(re.search("<body>(.*)</body>", dom, re.S).group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
assert found["n"] > 200 and not found["bad"], found
def colours(file):
    data = open(file, "rb").read()
    width, at, body = int.from_bytes(data[16:20], "big"), 8, b""
    bytes_of = {2: 3, 6: 4}[data[25]]
    while at < len(data):
        n = int.from_bytes(data[at:at + 4], "big")
        if data[at + 4:at + 8] == b"IDAT":
            body += data[at + 8:at + 8 + n]
        at += n + 12
    raw, last, seen, step = zlib.decompress(body), bytes(width * bytes_of), set(), width * bytes_of
    for line in range(len(raw) // (step + 1)):
        kind, row = raw[line * (step + 1)], bytearray(raw[line * (step + 1) + 1:(line + 1) * (step + 1)])
        for i in range(step):
            a, b, c = (row[i - bytes_of] if i >= bytes_of else 0), last[i], (last[i - bytes_of] if i >= bytes_of else 0)
            p = a + b - c
            row[i] = row[i] + (0, a, b, (a + b) // 2, min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2])[kind] & 255
        seen.update(bytes(row[i:i + 3]) for i in range(0, step, bytes_of))
        last = row
    return seen
subprocess.run(chromium + ["--screenshot=picture.png", "charts/bytes.svg"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=100)
seen = colours("picture.png")
assert {bytes.fromhex(c) for c in ("ffffff", "1f7a4d", "74b3e3")} <= seen, len(seen)
END

record trace -e fs,ds -m 512 -- python3 program.py
check 'recorded' [ $? = 0 ]
"$IOTRACER" amp trace --by comm --top 0 --svg charts >out 2>said
check 'five charts, and nothing else' [ "$? $(ls charts | wc -l) $(ls charts/*.svg | wc -l) $(wc -c <out)" = '0 5 5 0' ]
check 'what the trace lacks is said' grep -q 'iotracer: tier' said
check 'their values are those of the CSV' python3 values.py "$IOTRACER"
[ -z "${LIVE_BROWSER:-}" ] || check 'all is within the picture, in a browser' python3 look.py "$LIVE_BROWSER"
"$IOTRACER" amp trace --by comm --top 1 -q --svg charts 2>said
check 'fewer rows, over what was there' [ "$? $(grep -c 'text-anchor="end"' charts/bytes.svg)" = '0 1' ]
"$IOTRACER" amp trace -p 1 -q --svg charts/none 2>said
check 'nothing to draw: empty charts' sh -c '[ "$1" = 0 ] && python3 "$tests_dir/readers/svg_checks.py" is_svg charts/none/latency.svg' - $?
"$IOTRACER" amp trace --svg charts/nowhere/deep 2>said
check 'no such folder: status 1' [ $? = 1 ]
check 'no such folder: one message' sh -c 'grep -v -e "^iotracer: [a-z/].*:* *(.*rows of" said | grep -q "charts/nowhere/deep: No such file"'
"$IOTRACER" amp trace --svg charts --csv 2>said
check 'not with --csv: usage' [ $? = 2 ]
