# SPDX-License-Identifier: GPL-2.0-or-later
# Of `iotracer files --by dir --json`: reads and bytes of a directory, and what it says of a budget: the standard
# error of bytes, events that nothing stands for, the largest factor.
import json, sys

answer = json.load(open(sys.argv[1]))
row = next(r for r in answer["files"] if sys.argv[2] in r.values())
budget = next(t["budget"] for t in answer["traces"] if t["stream"] == "fs")
print(row["reads"], row["read_bytes"], budget["bytes_error_percent"], budget["not_represented"], budget["largest_factor"])
