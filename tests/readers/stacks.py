# SPDX-License-Identifier: GPL-2.0-or-later
"""stacks.py functions FUNCTION NAME... <CSV: of each stack of `iotracer report --section stacks --csv` in which FUNCTION
(a regular expression) is, those functions that are among the names; stacks.py chain NAME... <CSV: 0 if a stack has
these, one within the other."""
import csv
import re
import sys


def main():
    mode, *words = sys.argv[1:]
    stacks = [row["stack"].split(";") for row in csv.DictReader(sys.stdin)]
    if mode == "chain":
        return not any(words == s[i : i + len(words)] for s in stacks for i in range(len(s)))
    for frames in stacks:
        if any(re.fullmatch(words[0], frame) for frame in frames):
            print(" ".join(frame for frame in frames if frame in words[1:]))
    return 0


sys.exit(main())
