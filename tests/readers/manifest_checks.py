# SPDX-License-Identifier: GPL-2.0-or-later
"""manifest_checks.py CHECK [ARGUMENT]...: what guest-record.sh and image.sh and overflow.sh ask of what was recorded and answered. Status 1: it is not so."""
import collections
import json
import sys


def tiers_of_data(manifest, tier):
    plan = json.load(open(manifest))["plan"]
    tiers = {c["tier"] for c in plan if c["operation"] in ("READ", "WRITE") and c.get("chosen")}
    print(tiers)
    sys.exit(tiers != {tier})


def all_but_one(manifest):
    plan = {(c["stream"], c["operation"], c["path"]): c for c in json.load(open(manifest))["plan"]}
    write, rename = plan["fs", "WRITE", ""], plan["fs", "RENAME", ""]
    assert write["live"] and write["attached"] and write["records"] >= 10, write
    assert write["self_test"] == "fires", write
    assert rename["attached"] and not rename["live"] and rename["records"] == 0, rename
    assert not [c for c in plan.values() if c.get("live") and not c["records"] and c["self_test"] != "fires"]
    assert not [c for c in plan.values() if c["stream"] not in ("fs", "-")]


def ledger(manifest):
    n = collections.Counter()
    for loss in json.load(open(manifest))["lost"]:
        n[loss["stream"]] += loss["count"]
    print(",".join(f"{s},{c}" for s, c in sorted(n.items())))


def add_loss(trace, stream, reason, count):
    name = trace + "/manifest.json"
    m = json.load(open(name))
    m["lost"].append({"stream": stream, "reason": reason, "count": int(count)})
    json.dump(m, open(name, "w"))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
