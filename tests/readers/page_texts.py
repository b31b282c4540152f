# SPDX-License-Identifier: GPL-2.0-or-later
"""page_texts.py FILE: each text of the JSON list PAGE_TEXTS stands in the page, as text; nothing in it is fetched."""
import html.parser, json, os, re, sys


class Text(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.hidden, self.text, self.fetched = 0, "", []

    def handle_starttag(self, tag, attributes):
        self.hidden += tag in ("script", "style")
        self.fetched += [v for k, v in attributes if k in ("src", "href") and v and not v.startswith(("#", "data:"))]

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style")

    def handle_data(self, data):
        self.text += "" if self.hidden else data + " "


def words(text):
    return re.sub(r"\s+", " ", text)


page = Text()
page.feed(open(sys.argv[1], encoding="utf-8").read())
there = words(page.text)
lost = [t for t in json.loads(os.environ["PAGE_TEXTS"]) if words(t).strip() not in there]
if lost or page.fetched:
    sys.exit("not in the page: %r; fetched: %r" % (lost, page.fetched))
