# SPDX-License-Identifier: GPL-2.0-or-later
"""The same of a table that the shell of SQLite loaded: read_sqlite.py DIR STREAM DATABASE."""
import sqlite3
import sys

from reference import dump, resources

TYPES = {'datetime': str, 'string': str, 'number': float, 'integer': int}


def cell(value, field):
    if value is None:
        return None
    kind = TYPES[field['type']]
    # SQLite has no integers above 2^63 - 1: they are floats, and shown as such
    huge = kind is int and isinstance(value, float) and value >= 2 ** 63
    assert isinstance(value, kind) or huge, (field['name'], value)
    return '%.6f' % value if kind is float else str(int(value)) if kind is int else value


def main(directory, stream, database):
    fields = resources(directory, stream)[0]['schema']['fields']
    names = ', '.join('"%s"' % f['name'] for f in fields)
    for row in sqlite3.connect(database).execute('SELECT %s FROM "%s"' % (names, stream)):
        print(dump([cell(*pair) for pair in zip(row, fields)]))


main(*sys.argv[1:])
