# SPDX-License-Identifier: GPL-2.0-or-later
"""page_tables.py: the tables of page.html have every number of report.json."""
import html.parser, json, sys
class Tables(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tables, self.cell, self.title = {}, None, None
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "h2":
            self.name = attributes["id"].split("-", 1)[1]
        elif tag == "table":
            self.rows = self.tables.setdefault(getattr(self, "name", "trace"), [])
        elif tag == "tr" and hasattr(self, "rows"):
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append(attributes.get("title") if attributes.get("class") == "n" else "")
            self.cell = attributes.get("class") != "n"
    def handle_endtag(self, tag):
        if tag in ("tr", "table"):
            self.cell = None
    def handle_data(self, data):
        if self.cell:
            self.rows[-1][-1] += data
page = Tables()
page.feed(open("page.html").read())
report, bad = json.load(open("report.json")), 0
for name in "layers", "operations", "processes", "devices", "cache", "faults", "connections", "files":
    wanted = [[v if v is None or isinstance(v, str) else "%.6f" % v if isinstance(v, float) else str(v) for v in r.values()]
              for r in report[name]]
    got = [r for r in page.tables.get(name, []) if r][:len(wanted)]
    for g, w in zip(got, wanted):
        # what is not known is empty; of long names the end is shown
        if [(x or "")[-200:] for x in g] != [(x or "")[-200:] for x in w]:
            print(name, g, w)
            bad = 1
    if len(got) != len(wanted) or not wanted:
        print("%s has %d rows, not %d" % (name, len(got), len(wanted)))
        bad = 1
sys.exit(bad)
