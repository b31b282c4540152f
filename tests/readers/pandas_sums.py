# SPDX-License-Identifier: GPL-2.0-or-later
"""pandas_sums.py DIR: seconds that pandas takes for the sums of `files` over the segments of fs in DIR."""
import glob
import sys
import time

import pandas as pd

from_s = time.monotonic()
columns = ["operation", "pid", "filename", "size", "latency_ns", "return_value", "mono_ns", "mntns"]
rows = pd.concat([pd.read_csv(f, usecols=columns, dtype={"operation": "category", "filename": "category"},
                              keep_default_na=False, na_values={"size": "", "latency_ns": "", "return_value": "", "mntns": ""})
                  for f in sorted(glob.glob(sys.argv[1] + "/*.csv*"))])
key = ["mntns", "filename"]
calls = rows[rows.operation.isin(["READ", "WRITE"])].groupby(key + ["operation"], observed=True, dropna=False)[
    ["size", "return_value", "latency_ns"]].agg(["size", "sum"])
files = rows.groupby(key, observed=True, dropna=False).agg({"operation": "size", "mono_ns": ["min", "max"], "pid": "nunique"})
if not len(calls) or not len(files):
    sys.exit(1)
print(time.monotonic() - from_s)
