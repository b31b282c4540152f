# SPDX-License-Identifier: GPL-2.0-or-later
"""fio_unseen.py ENGINE DIR UNSEEN: what `files` counts (ENGINE.csv) and what was not seen are fio's (ENGINE.json)."""
import csv, json, sys
engine, where, unseen = sys.argv[1:]
text = open(engine + ".json").read()
files = {row["filename"]: row for row in csv.DictReader(open(engine + ".csv"))}
told = sum(job[kind]["total_ios"] for job in json.loads(text[text.index("{"):])["jobs"] for kind in ("read", "write"))
seen = int(files[where + "/old"]["reads"]) + int(files[where + "/new"]["writes"])
print("%d rows and %s unseen, fio says %d" % (seen, unseen, told))
sys.exit(seen + int(unseen) != told or seen < told / 2)
