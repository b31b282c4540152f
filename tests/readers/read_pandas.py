# SPDX-License-Identifier: GPL-2.0-or-later
"""The same of what the example in doc/LOADING.md makes of a trace with pandas.

read_pandas.py DIR OUT EXAMPLE: the example leaves its tables in `trace`, which
go to OUT/STREAM.
"""
import sys

import pandas as pd

from reference import dump, resources

TYPES = {
    'datetime': pd.api.types.is_datetime64_any_dtype,
    'string': pd.api.types.is_string_dtype,
    'number': pd.api.types.is_float_dtype,
    'integer': lambda dtype: str(dtype) in ('Int64', 'UInt64'),
}


def cell(value, field):
    if pd.isna(value):
        return None
    if field['type'] == 'datetime':
        return value.strftime(field['format'])
    return '%.6f' % value if field['type'] == 'number' else str(value)


def write(directory, stream, table, out):
    fields = resources(directory, stream)[0]['schema']['fields']
    assert list(table.columns) == [f['name'] for f in fields], list(table.columns)
    for field in fields:
        dtype = table[field['name']].dtype
        assert TYPES[field['type']](dtype), (stream, field['name'], dtype)
    with open(out + '/' + stream, 'w', encoding='utf-8') as file:
        for row in table.itertuples(index=False):
            print(dump([cell(*pair) for pair in zip(row, fields)]), file=file)


def main(directory, out, example):
    scope = {}
    with open(example, encoding='utf-8') as file:
        exec(compile(file.read(), example, 'exec'), scope)
    for stream, table in scope['trace'].items():
        write(directory, stream, table, out)


main(*sys.argv[1:])
