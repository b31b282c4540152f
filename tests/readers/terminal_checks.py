# SPDX-License-Identifier: GPL-2.0-or-later
"""terminal_checks.py CHECK [ARGUMENT]...: what terminal.sh asks of what was recorded and answered. Status 1: it is not so."""
import json
import shutil
import sys


def names_of_watch():
    names = {json.loads(line).get("path") or "" for line in open("watch.json")}
    assert any("\u009b31m\u202egpj" in name for name in names), names


def spoil_manifest():
    bad = '\033[31m\x9b7m\u202e\u2066\n'
    keep = {'format', 'tool', 'name', 'file', 'stream', 'first', 'last', 'sha256', 'tier', 'state',
            'operation', 'chosen', 'started', 'ended'}
    def spoil(value, key=None):
        if isinstance(value, dict):
            return {k: spoil(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [spoil(v, key) for v in value]
        if isinstance(value, str) and key not in keep:
            return bad + value + bad
        return value
    m = spoil(json.load(open('trace/manifest.json')))
    m['state'] = 'stopped'
    m['reason'] = 'reason' + bad
    m['filters'] = {'comm': ['dd' + bad], 'path': ['/x' + bad], 'cgroup': bad}
    m['lost'] = [{'stream': 'fs', 'reason': 'ring' + bad, 'count': 7}]
    shutil.copytree('trace', 'spoilt')
    json.dump(m, open('spoilt/manifest.json', 'w'))
    # a file that is listed and was never there, a stream and a file that nobody knows
    shutil.copytree('spoilt', 'damaged')
    m['streams'][0]['segments'].append(dict(m['streams'][0]['segments'][0], file='fs/fs_' + bad + '.csv'))
    m['streams'].append({'name': 'fs2' + bad, 'rows': 1, 'segments': []})
    m['schema' + bad] = bad
    json.dump(m, open('damaged/manifest.json', 'w'))
    open('damaged/fs/' + bad + '.csv', 'w').write(bad)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
