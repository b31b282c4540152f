# SPDX-License-Identifier: GPL-2.0-or-later
"""svg_checks.py CHECK [ARGUMENT]...: what timeline.sh asks of what was recorded and answered. Status 1: it is not so."""
import sys
import xml.etree.ElementTree as tree


def losses_in_svg():
    text = "".join(tree.parse("odd.svg").getroot().itertext())
    sys.exit(not ("LOST" in text and "<&" in text and "READ never" in text))


def odd_names():
    text = "".join(tree.parse("quoted.svg").getroot().itertext())
    assert "\"<b>&\x27x" in text and "[2J\"q\"<&>]]>\ufffd" in text, text


def is_svg(name):
    tree.parse(name)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
