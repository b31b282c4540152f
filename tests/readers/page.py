# SPDX-License-Identifier: GPL-2.0-or-later
"""A page in a real browser, driven through the pipe of its debugger: nothing but Python and chromium.

page.py CHROMIUM FILE DIRECTORY: opens the file as people do, wide and narrow, light and dark, prints it, clicks and
types in it. Screenshots and the print go to DIRECTORY. Says what is wrong; status 1 when anything is. With
PAGE_TEXTS, a JSON list, each of these must be there as text.
"""
import base64, json, os, re, subprocess, sys, tempfile

chromium, page, directory = sys.argv[1:4]
bad = []


class Browser:
    def __init__(self):
        self.profile = tempfile.TemporaryDirectory()
        to, out = os.pipe(), os.pipe()
        # the debugger's pipe is descriptors 3 and 4
        spare = [os.dup2(to[0], 60), os.dup2(out[1], 61)]
        self.process = subprocess.Popen(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-extensions", "--user-data-dir=" + self.profile.name,
             "--remote-debugging-pipe"],
            preexec_fn=lambda: (os.dup2(60, 3), os.dup2(61, 4)), pass_fds=(3, 4),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in [to[0], out[1]] + spare:
            os.close(fd)
        self.out, self.input = os.fdopen(to[1], "wb", 0), os.fdopen(out[0], "rb", 0)
        self.rest, self.n, self.events, self.session = b"", 0, [], None

    def read(self):
        while b"\0" not in self.rest:
            more = self.input.read(1 << 20)
            if not more:
                sys.exit("the browser ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.n += 1
        message = {"id": self.n, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.n:
                if "error" in answer:
                    sys.exit("%s: %s" % (method, answer["error"]))
                return answer["result"]
            self.events.append(answer)

    def wait(self, event):
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self.read())

    def js(self, text):
        result = self.call("Runtime.evaluate", expression=text, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            bad.append("%s: %s" % (text, result["exceptionDetails"]))
        return result["result"].get("value")

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait()
        self.profile.cleanup()


def expect(what, got, wanted=True):
    if got != wanted:
        bad.append("%s: %r, not %r" % (what, got, wanted))


b = Browser()
b.session = b.call("Target.attachToTarget", targetId=b.call("Target.createTarget", url="about:blank")["targetId"], flatten=True)["sessionId"]
for domain in "Page", "Runtime", "Log", "Network":
    b.call(domain + ".enable")
b.call("Page.navigate", url="file://" + os.path.abspath(page))
b.wait("Page.loadEventFired")

# ---- what it is ----
for text in json.loads(os.environ.get("PAGE_TEXTS", "[]")):
    expect("text %r" % text, b.js("document.querySelector('main').textContent.includes(%s)" % json.dumps(text)))
expect("scripts", b.js("document.scripts.length"), 1)
expect("elements that load", b.js("document.querySelectorAll('[src],link,iframe,object,embed,img,image,use,base,form').length"), 0)
expect("links that leave", b.js("[...document.querySelectorAll('[href]')].filter(a => !a.getAttribute('href').startsWith('#')).length"), 0)
expect("links to nowhere", b.js("[...document.querySelectorAll('a')].filter(a => !document.getElementById(a.hash.slice(1))).length"), 0)
expect("handlers within the text", b.js("[...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => /^on/.test(a.name))).length"), 0)
expect("identifiers twice", b.js("(() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id); return ids.length - new Set(ids).size })()"), 0)
expect("charts without a name", b.js("[...document.querySelectorAll('svg')].filter(s => s.getAttribute('role') !== 'img' || !s.getAttribute('aria-label')).length"), 0)
expect("marks without a value", b.js("[...document.querySelectorAll('svg rect')].filter(r => !r.querySelector('title').textContent).length"), 0)
expect("marks that are no numbers", b.js("[...document.querySelectorAll('svg rect')].filter(r => ['x', 'y', 'width', 'height'].some(n => !(Number(r.getAttribute(n)) >= 0))).length"), 0)
expect("tables without a caption", b.js("[...document.querySelectorAll('table')].filter(t => !t.caption || !t.caption.textContent).length"), 0)
expect("rows that do not fit their table", b.js("[...document.querySelectorAll('tbody tr')].filter(r => r.cells.length !== r.closest('table').tHead.rows[0].cells.length).length"), 0)
expect("fields without a label", b.js("[...document.querySelectorAll('input')].filter(i => !i.labels.length).length"), 0)
# every value of a chart stands in a table of its part, in the same words
missing = b.js("""[...document.querySelectorAll('section')].flatMap(s => {
    const cells = new Set([...s.querySelectorAll('td')].map(c => c.textContent));
    return [...s.querySelectorAll('svg:not(.bar) rect title')].map(t => t.textContent).filter(t => {
        const value = /: (?:(\\S+) (?:operations|failed|read|written|found|not found|took .*)|(\\d+))$/.exec(t);
        return !value || !cells.has(value[1] || value[2]);
    });
}).slice(0, 5)""")
expect("values that stand in no table", missing, [])

# ---- how it looks ----
backgrounds = {}
for scheme in "light", "dark":
    b.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    backgrounds[scheme] = b.js("getComputedStyle(document.body).backgroundColor")
    for width in 1280, 400:
        b.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        expect("it is wider than %d" % width, b.js("document.documentElement.scrollWidth <= %d" % width))
        expect("charts that cannot be seen", b.js("[...document.querySelectorAll('svg')].filter(s => !(s.getBoundingClientRect().width > 100)).length"), 0)
        # its ends are those of the chart, beside it, and each number is there as a whole
        expect("scales that do not stand beside their chart", b.js("""[...document.querySelectorAll('.y')].filter(y => {
            const scale = y.getBoundingClientRect(), chart = y.nextElementSibling.getBoundingClientRect();
            return Math.abs(scale.top - chart.top) > 1 || Math.abs(scale.bottom - chart.bottom) > 1 ||
                scale.right > chart.left || scale.left < 0 || y.scrollWidth > y.clientWidth;
        }).length"""), 0)
        with open("%s/%s-%d.png" % (directory, scheme, width), "wb") as f:
            f.write(base64.b64decode(b.call("Page.captureScreenshot", format="png")["data"]))
expect("light is not dark", backgrounds["light"] != backgrounds["dark"])

# ---- what it does, by keyboard ----
def press(key):
    for kind in "keyDown", "keyUp":
        b.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, text="\r" if key == "Enter" and kind == "keyDown" else "",
               windowsVirtualKeyCode={"Enter": 13, "ArrowRight": 39, "Tab": 9}[key])

press("Tab")
expect("the first key reaches something", b.js("document.activeElement !== document.body"))
column = "[...table.tBodies[0].rows].map(r => Number(r.cells[i].title || -1))"
if b.js("!!document.querySelector('section > .scroll th.n button')"):
    for order in "descending", "ascending":
        b.js("document.querySelector('section > .scroll th.n button').focus()")
        press("Enter")
        expect("sorted", b.js("(() => { const th = document.activeElement.parentNode, i = th.cellIndex, table = th.closest('table'), v = %s; "
                              "return [th.getAttribute('aria-sort'), v.every((x, n) => !n || (%s))] })()" % (column, "v[n - 1] >= x" if order == "descending" else "v[n - 1] <= x")),
               [order, True])
if b.js("!!document.querySelector('.tools')"):
    before = b.js("getComputedStyle(document.body).backgroundColor")
    b.js("document.querySelector('[name=theme]').focus()")
    press("Enter")
    expect("the other colours", b.js("getComputedStyle(document.body).backgroundColor") != before)
if b.js("!!document.querySelector('.tools input')"):
    b.js("document.querySelector('.tools input').focus()")
    press("ArrowRight")
    expect("all charts have the selected time", b.js("[...document.querySelectorAll('#t1 svg.time')].every(s => s.getAttribute('viewBox').startsWith('1 0 '))"))
    b.js("document.querySelector('[name=all]').focus()")
    press("Enter")
    expect("and all of it again", b.js("[...document.querySelectorAll('#t1 svg.time')].every(s => s.getAttribute('viewBox').startsWith('0 0 '))"))

with open(directory + "/page.pdf", "wb") as f:
    f.write(base64.b64decode(b.call("Page.printToPDF", preferCSSPageSize=True)["data"]))
    expect("a print", f.tell() > 2000)
with open(directory + "/page.pdf", "rb") as f:
    sheets = [[round(float(n)) for n in box.split()[2:]] for box in re.findall(rb"/MediaBox \[([^]]*)\]", f.read())]
expect("sheets that are not A4, and whether there are any", ([s for s in sheets if s not in ([595, 842], [596, 842])], bool(sheets)), ([], True))
b.call("Emulation.setEmulatedMedia", media="print")
expect("on paper there are buttons to press", b.js("[...document.querySelectorAll('.tools,nav,summary')].filter(e => e.getClientRects().length).length"), 0)
expect("on paper something is cut off", b.js("[...document.querySelectorAll('.scroll')].filter(e => e.scrollHeight > e.clientHeight + 1 && e.getClientRects().length).length"), 0)

# ---- what it must not do ----
for event in b.events:
    method, params = event.get("method"), event.get("params", {})
    if method == "Runtime.exceptionThrown" or method == "Runtime.consoleAPICalled" or method == "Log.entryAdded":
        bad.append("the console has: %s" % json.dumps(params)[:300])
    if method == "Network.requestWillBeSent" and not params["request"]["url"].startswith("file://" + os.path.abspath(page)):
        bad.append("it asks for %s" % params["request"]["url"][:100])
if not any(e.get("method") == "Network.requestWillBeSent" for e in b.events):
    bad.append("not even the page was asked for: this test sees nothing")
b.close()
if bad:
    print("\n".join(bad))
sys.exit(bool(bad))
