# SPDX-License-Identifier: GPL-2.0-or-later
"""page_tables.py: the tables of page.html have every number of report.json."""
import html.parser, json, sys
class Tables(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tables, self.cell, self.column = {}, None, None
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "h2":
            self.name = attributes["id"].split("-", 1)[1]
        elif tag == "table":
            self.head, self.rows = [], []
            self.tables.setdefault(getattr(self, "name", "trace"), []).append((self.head, self.rows))
        elif tag == "tr" and hasattr(self, "rows"):
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append(attributes.get("title") if attributes.get("class") == "n" else "")
            self.cell = attributes.get("class") != "n"
        elif tag == "th":
            self.head.append("")
            self.column = True
    def handle_endtag(self, tag):
        if tag in ("tr", "table"):
            self.cell = None
        if tag in ("button", "tr", "table"):
            self.column = None
    def handle_data(self, data):
        if self.cell:
            self.rows[-1][-1] += data
        elif self.column:
            self.head[-1] += data
page = Tables()
page.feed(open("page.html").read())
report, bad = json.load(open("report.json")), 0
for name in "layers", "operations", "processes", "devices", "cache", "faults", "connections", "files":
    wanted = [[v if v is None or isinstance(v, str) else "%.6f" % v if isinstance(v, float) else str(v) for v in r.values()]
              for r in report[name]]
    # not those of its charts
    of_section = [rows for head, rows in page.tables.get(name, []) if report[name] and head == list(report[name][0])]
    got = [r for r in (of_section or [[]])[0] if r][:len(wanted)]
    for g, w in zip(got, wanted):
        # what is not known is empty; of long names the end is shown
        if [(x or "")[-200:] for x in g] != [(x or "")[-200:] for x in w]:
            print(name, g, w)
            bad = 1
    if len(got) != len(wanted) or not wanted:
        print("%s has %d rows, not %d" % (name, len(got), len(wanted)))
        bad = 1
sys.exit(bad)
