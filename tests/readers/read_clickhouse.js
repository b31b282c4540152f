// SPDX-License-Identifier: GPL-2.0-or-later
// ClickHouse inside of node, in place of its program: read_clickhouse.js [--query SQL] runs what
// it is given, or standard input, and prints rows as JSON arrays.
// read_clickhouse.js FLEET OUT < SQL makes the tables, loads every directory of FLEET (as the
// example does it for one stream) and writes the same as the other readers to OUT/STREAM.
// NODE_PATH leads to chdb.
const fs = require('fs');
const { Session } = require('chdb');

const SETTINGS = "SETTINGS input_format_csv_trim_whitespaces = 0, format_csv_null_representation = ''";
const types = {
	datetime: ['DateTime64(6)', 'Nullable(DateTime64(6))'], string: ['String'], number: ['Nullable(Float64)'],
	integer: ['Nullable(Int64)', 'Nullable(UInt64)', 'UInt64'],
};

// In the form of the reference: null where the cell is empty.
function cell(text, field) {
	if (text === null || text === '')
		return null;
	if (field.type === 'number')
		return Number(text).toFixed(6);
	return field.type === 'datetime' && !field.format.includes('%f') ? text.replace('.000000', '') : text;
}

function rowsOf(session, sql) {
	return session.query(sql, 'JSONCompactEachRow').split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

function dump(session, fleet, out, name, fields) {
	const described = rowsOf(session, `DESCRIBE TABLE "${name}"`);

	fields.forEach((field, i) => {
		const [column, type] = described[i];

		if (column !== field.name || !types[field.type].includes(type))
			throw new Error(`${name}.${column} is of type ${type}, not ${field.type}`);
	});
	session.query(`INSERT INTO "${name}" SELECT * FROM file('${fleet}/*/${name}/${name}_*.csv*', CSVWithNames) ${SETTINGS}`);
	const columns = fields.map((field) => `CAST("${field.name}" AS Nullable(String))`);
	const rows = rowsOf(session, `SELECT ${columns} FROM "${name}"`);

	fs.writeFileSync(`${out}/${name}`,
		rows.map((row) => JSON.stringify(row.map((text, i) => cell(text, fields[i]))) + '\n').join(''));
}

function load(session, fleet, out) {
	const tables = new Map();

	for (const dir of fs.readdirSync(fleet))
		for (const resource of JSON.parse(fs.readFileSync(`${fleet}/${dir}/datapackage.json`)).resources)
			tables.set(resource.name.replace(/_plain$/, ''), resource.schema.fields);
	session.query(fs.readFileSync(0, 'utf8'));
	for (const [name, fields] of tables)
		dump(session, fleet, out, name, fields);
}

const session = new Session();
const args = process.argv.slice(2);

try {
	if (args[0] && args[0] !== '--query')
		load(session, ...args);
	else
		process.stdout.write(session.query(args[1] || fs.readFileSync(0, 'utf8'), 'JSONCompactEachRow'));
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
}
session.cleanup();
