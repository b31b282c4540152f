# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of a trace as the csv module of Python reads them, one JSON array a line.

Cells are texts in one form for every reader (integers in digits, numbers with
six decimals, empty cells null), so that what they say can be compared:
reference.py DIR STREAM.
"""
import csv
import gzip
import json
import sys

csv.field_size_limit(1 << 26)
OPEN = {True: gzip.open, False: open}


def dump(row):
    """As JSON.stringify does it."""
    return json.dumps(row, separators=(',', ':'), ensure_ascii=False)


def resources(directory, stream):
    with open(directory + '/datapackage.json', encoding='utf-8') as file:
        package = json.load(file)
    return [r for r in package['resources'] if r['name'] in (stream, stream + '_plain')]


def cell(text, field):
    if text == '':
        return None
    if field['type'] == 'integer':
        return str(int(text))
    if field['type'] == 'number':
        return '%.6f' % float(text)
    return text


def main(directory, stream):
    for resource in resources(directory, stream):
        fields = resource['schema']['fields']
        for path in resource['path']:
            with OPEN[path.endswith('.gz')](directory + '/' + path, 'rt', encoding='utf-8', newline='') as file:
                rows = csv.reader(file, strict=True)
                assert next(rows) == [f['name'] for f in fields], path
                for row in rows:
                    assert len(row) == len(fields), (path, row)
                    print(dump([cell(*pair) for pair in zip(row, fields)]))


if __name__ == '__main__':
    main(*sys.argv[1:])
