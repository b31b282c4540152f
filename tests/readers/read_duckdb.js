// SPDX-License-Identifier: GPL-2.0-or-later
// The same of tables in DuckDB: read_duckdb.js DIR OUT < SQL runs the statements and
// writes OUT/STREAM for each stream. NODE_PATH leads to @duckdb/node-api.
const fs = require('fs');
const { DuckDBInstance } = require('@duckdb/node-api');

const types = {
	datetime: ['TIMESTAMP'], string: ['VARCHAR'], number: ['DOUBLE'], integer: ['BIGINT', 'UBIGINT'],
};
const texts = {
	datetime: (name, format) => `strftime("${name}", '${format}')`,
	string: (name) => `"${name}"`,
	number: (name) => `printf('%.6f', "${name}")`,
	integer: (name) => `CAST("${name}" AS VARCHAR)`,
};

async function dump(connection, resource, out) {
	const name = resource.name.replace(/_plain$/, '');
	const fields = resource.schema.fields;
	const described = (await connection.runAndReadAll(`DESCRIBE "${name}"`)).getRows();

	fields.forEach((field, i) => {
		const [column, type] = described[i];

		if (column !== field.name || !types[field.type].includes(type))
			throw new Error(`${name}.${column} is of type ${type}, not ${field.type}`);
	});
	const columns = fields.map((field) => texts[field.type](field.name, field.format));
	const rows = (await connection.runAndReadAll(`SELECT ${columns} FROM "${name}"`)).getRows();

	fs.writeFileSync(`${out}/${name}`, rows.map((row) => JSON.stringify(row) + '\n').join(''));
}

async function main(dir, out) {
	const connection = await (await DuckDBInstance.create(':memory:')).connect();
	const resources = JSON.parse(fs.readFileSync(`${dir}/datapackage.json`)).resources;

	await connection.run(fs.readFileSync(0, 'utf8'));
	for (const resource of resources)
		await dump(connection, resource, out);
}

main(...process.argv.slice(2)).catch((error) => {
	console.error(error.message);
	process.exit(1);
});
