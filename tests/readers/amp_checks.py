# SPDX-License-Identifier: GPL-2.0-or-later
"""amp_checks.py CHECK [ARGUMENT]...: what amp-net.sh asks of what was recorded and answered. Status 1: it is not so."""
import json
import sys


def net_amp():
    j = json.load(sys.stdin)
    assert [a["net_amp"] for a in j["amplification"] if a["comm"] == "primary"] == [2.0], j
    assert j["traces"][0]["nw"]["lost"] == []


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
