# SPDX-License-Identifier: GPL-2.0-or-later
"""peak_mb.py COMMAND [ARGUMENT]...: the most memory that it has at once, in MB."""
import resource
import subprocess
import sys

subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print("%.1f" % (resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024))
